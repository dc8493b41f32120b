/* report_sarif.c: SARIF 2.1.0, which editors and code hosts show at the line. */
#include <stdio.h>

#include "migrate/migration.h"
#include "tenfold/version.h"

/* A path as a relative reference of RFC 3986. */
static void add_uri(ten_buf *out, const char *path) {
  ten_buf_addc(out, '"');
  for (; *path; path++) {
    const unsigned char c = (unsigned char)*path;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c))
      ten_buf_addc(out, (char)c);
    else
      ten_buf_printf(out, "%%%02X", c);
  }
  ten_buf_addc(out, '"');
}

static void result(ten_buf *out, bool *first, unsigned rule, const char *level, const char *text, const char *path,
                   unsigned line, unsigned column) {
  ten_buf_printf(out,
                 "%s\n      {\"ruleId\": \"TEN%03u\", \"level\": \"%s\", \"message\": {\"text\": ", *first ? "" : ",",
                 rule, level);
  *first = false;
  ten_buf_add_json(out, ten_str_of(text));
  ten_buf_adds(out, "},\n       \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
  add_uri(out, path);
  ten_buf_printf(out, "}, \"region\": {\"startLine\": %u, \"startColumn\": %u}}}]}", line ? line : 1,
                 column ? column : 1);
}

void ten_report_sarif(const ten_migration *migration, ten_buf *out) {
  ten_buf_adds(
      out,
      "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"version\": \"2.1.0\",\n  \"runs\": [{\n");
  ten_buf_printf(out, "    \"tool\": {\"driver\": {\"name\": \"tenfold migrate\", \"version\": \"%s\", \"rules\": [",
                 TENFOLD_VERSION);
  unsigned number = 0;
  const char *name = NULL, *reason = NULL;
  for (size_t i = 0; ten_migrate_rule(i, &number, &name, &reason, NULL); i++) {
    ten_buf_printf(out,
                   "%s\n      {\"id\": \"TEN%03u\", \"name\": \"%s\", \"shortDescription\": {\"text\": ", i ? "," : "",
                   number, name);
    ten_buf_add_json(out, ten_str_of(reason));
    ten_buf_adds(out, "}}");
  }
  ten_buf_adds(out, "]}},\n    \"results\": [");
  bool first = true;
  for (size_t i = 0; i < migration->files.count; i++) {
    const ten_migrated *file = migration->files.data[i];
    if (file->error) result(out, &first, 0, "error", file->error, file->path, 1, 1);
    for (size_t c = 0; c < file->changes.count; c++)
      if (file->changes.data[c].rule != 100)
        result(out, &first, file->changes.data[c].rule, "note", file->changes.data[c].reason, file->path,
               file->changes.data[c].line, file->changes.data[c].column);
    for (size_t n = 0; n < file->notes.count; n++) {
      const ten_migrate_note *note = &file->notes.data[n];
      const char *level = note->kind == TEN_NOTE_HUMAN ? "error" : note->kind == TEN_NOTE_INFO ? "note" : "warning";
      result(out, &first, note->rule, level, note->text, file->path, note->line, note->column);
    }
  }
  ten_buf_adds(out, "]\n  }]\n}\n");
}
