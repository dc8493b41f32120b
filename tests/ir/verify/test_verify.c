/* test_verify.c: runs the .mlir files of this folder, given as arguments. A file is split at lines `// -----`. Before
 * each op that is wrong stands what the verifier must say about it, one comment line for each error, without the place:
 *
 *   // expected: stablehlo.add: operand 0 is …
 *
 * and the place must be the line after those comments. A part without such a line must be right. The list of ops that
 * have no wrong program must be empty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

static bool seen[TEN_OP_COUNT]; /* ops that were found wrong at least once */

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_int_equal(fread(text, 1, *size, file), *size);
  fclose(file);
  text[*size] = 0;
  return text;
}

/* "path:line:column: message" of each error, to "line: message". */
static void normalise(const char *path, const char *text, ten_buf *out) {
  const size_t prefix = strlen(path);
  for (const char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    const size_t size = next ? (size_t)(next - line) : strlen(line);
    if (next) next++;
    if (strncmp(line, path, prefix) || line[prefix] != ':') {
      ten_buf_printf(out, "%.*s\n", (int)size, line);
      continue;
    }
    unsigned number, column;
    int used = 0;
    if (sscanf(line + prefix, ":%u:%u: %n", &number, &column, &used) != 2) continue;
    const size_t from = prefix + (size_t)used;
    ten_buf_printf(out, "%u: %.*s\n", number, (int)(size - from), line + from);
    char name[64];
    if (sscanf(line + from, "%63[^:]", name) == 1) seen[ten_opcode_find(ten_str_of(name))] = true;
  }
}

/* What the comments ask for, in the same form. Several in a row speak about the same line. */
static void wanted(const char *text, size_t size, unsigned first_line, ten_buf *out) {
  static const char mark[] = "// expected: ";
  unsigned line = first_line;
  const char *end = text + size;
  for (const char *at = text; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    const char *found = memmem(at, (size_t)(stop - at), mark, sizeof mark - 1);
    if (found) {
      unsigned target = line + 1;
      for (const char *after = stop + 1; after < end; target++) {
        const char *after_stop = memchr(after, '\n', (size_t)(end - after));
        if (!after_stop) after_stop = end;
        if (!memmem(after, (size_t)(after_stop - after), mark, sizeof mark - 1)) break;
        after = after_stop + 1;
      }
      found += sizeof mark - 1;
      ten_buf_printf(out, "%u: %.*s\n", target, (int)(stop - found), found);
    }
    at = stop + 1;
  }
}

static void check_part(const char *path, const char *text, size_t size, unsigned first_line) {
  char *padded = malloc(size + first_line); /* so that lines are those of the file */
  memset(padded, '\n', first_line - 1);
  memcpy(padded + first_line - 1, text, size);
  ten_module *module;
  check_ok(ten_text_parse(padded, size + first_line - 1, path, &module));
  ten_status *status = ten_verify(module);
  ten_buf got = {0}, want = {0};
  if (status) normalise(path, ten_status_text(status), &got);
  wanted(text, size, first_line, &want);
  if (strcmp(got.data ? got.data : "", want.data ? want.data : "")) {
    print_error("%s, the part that starts on line %u\nwanted:\n%sgot:\n%s\n", path, first_line,
                want.data ? want.data : "(nothing)\n", got.data ? got.data : "(nothing)\n");
    fail();
  }
  ten_status_free(status);
  ten_buf_free(&got);
  ten_buf_free(&want);
  ten_module_destroy(module);
  free(padded);
}

static void file_is_judged(void **state) {
  const char *path = *state;
  size_t size;
  char *text = read_file(path, &size);
  unsigned line = 1;
  for (char *at = text, *next; at; at = next) {
    char *cut = strncmp(at, "// -----", 8) ? strstr(at, "\n// -----") : at;
    const size_t part = cut ? (size_t)(cut - at) + (cut != at) : strlen(at);
    check_part(path, at, part, line);
    for (size_t i = 0; i < part; i++) line += at[i] == '\n';
    next = cut ? strchr(at + part, '\n') : NULL;
    if (next) next++;
    line++;
  }
  free(text);
}

/* Ops that cannot be wrong by themselves. */
static bool cannot_fail(ten_opcode code) {
  return code == TEN_OP_UNKNOWN || code == TEN_OP_MODULE || code == TEN_OP_CAST;
}

static void every_op_has_a_wrong_program(void **state) {
  (void)state;
  unsigned missing = 0;
  for (int code = 0; code < TEN_OP_COUNT; code++) {
    if (seen[code] || cannot_fail((ten_opcode)code)) continue;
    print_error("no wrong program for %s\n", ten_op_infos[code].name);
    missing++;
  }
  assert_int_equal(missing, 0);
}

int main(int argc, char **argv) {
  struct CMUnitTest *tests = calloc((size_t)argc, sizeof *tests);
  for (int i = 1; i < argc; i++) tests[i - 1] = (struct CMUnitTest){argv[i], file_is_judged, NULL, NULL, argv[i]};
  tests[argc - 1] = (struct CMUnitTest)cmocka_unit_test(every_op_has_a_wrong_program);
  const int failed = _cmocka_run_group_tests("verify", tests, (size_t)argc, NULL, NULL);
  free(tests);
  return failed;
}
