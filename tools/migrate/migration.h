/* migration.h: the result of a migration, and its steps: read (files.c), split notebooks (notebook.c), rewrite one file
 * (file.c), render (report*.c, diff.c), write (files.c). */
#ifndef TEN_MIGRATE_MIGRATION_H
#define TEN_MIGRATE_MIGRATION_H

#include <stdatomic.h>

#include "migrate/rule.h"

/* A code cell of a notebook: its position in the joined Python text and in the JSON. */
typedef struct ten_cell {
  uint32_t start, end;           /* in the joined text */
  uint32_t json_start, json_end; /* of the value of "source" */
  int index;                     /* among all cells */
  bool list;                     /* an array of lines, not one string */
} ten_cell;

typedef struct ten_notebook {
  TEN_VEC(ten_cell) cells;
  ten_buf text;   /* the code cells, joined by line breaks */
  ten_buf parsed; /* the same length, with magics replaced by comments */
} ten_notebook;

typedef struct ten_migrated {
  char *path, *relative; /* owned */
  char *before;          /* owned; UTF-8, size bytes, NUL after */
  size_t before_size;
  char *raw; /* owned: the bytes of the file when it is not UTF-8, and `encoding` names it; else NULL */
  size_t raw_size;
  char encoding[64];
  char *after; /* owned; NULL when unchanged */
  size_t after_size;
  ten_file_state state;
  char *error;            /* owned, or NULL */
  ten_notebook *notebook; /* owned, or NULL */
  size_t bom;             /* bytes of a byte-order mark in front of the Python text */
  ten_py_file *file;      /* parsed, during the migration */
  ten_arena arena;
  TEN_VEC(ten_migrate_change) changes; /* texts owned */
  TEN_VEC(ten_migrate_note) notes;     /* texts owned */
  unsigned seen, handled;
  unsigned lines;
  struct TSTree *parsed; /* owned: the edited tree of `before`, until it is checked; or NULL */
  ten_buf checked;       /* the Python text of a rewritten notebook, until it is checked */
} ten_migrated;

/* A file of a source folder that is not a source: configuration, data. It is copied, unless it is too large. */
typedef struct ten_data_file {
  char *path; /* owned */
  size_t root_size;
  bool large;
} ten_data_file;

struct ten_migration {
  ten_migrate_target target;
  TEN_VEC(ten_migrated *) files;
  TEN_VEC(ten_data_file) data_files;
  struct ten_user_rules *user_rules; /* owned, or NULL: changes and notes refer to its rules */
  atomic_size_t kept;                /* bytes of text whose parse tree is retained for the check */
  double seconds;
};

void ten_migrated_fail(ten_migrated *file, ten_status *status); /* consumes */
/* Reads the text of a file; sets an error when it is not text. */
void ten_migrated_read(ten_migrated *file);
/* Files below the paths, sorted; searches folders except the output folder (`output`, or NULL). */
TEN_MUST_USE ten_status *ten_collect(const char *const *paths, size_t count, const char *output,
                                     ten_migration *migration);
/* Whether the files can be written to `output`, a folder, or for a single one a file: as far as known in advance. */
TEN_MUST_USE ten_status *ten_collected_check_output(const ten_migration *migration, const char *output);
void ten_migrated_destroy(ten_migrated *file);

/* Reading, parsing and checking process one file, and may run concurrently; rewriting reads the project. */
/* Parses into file->file, ready for the project; sets an error otherwise. */
void ten_migrated_parse(ten_migrated *file);
/* Applies the rules. Needs the project linked. */
void ten_migrated_rewrite(ten_migrated *file, const ten_migrate_options *options, const struct ten_user_rules *user);
/* If the new text does not parse, it is dropped, and the file fails. */
void ten_migrated_check(ten_migrated *file);
void ten_migrated_clear(ten_migrated *file); /* changes, notes and the new text */
/* Releases the parse tree of the original text: the check then parses the whole again. */
void ten_migrated_drop_parse(ten_migrated *file);

TEN_MUST_USE ten_status *ten_notebook_split(ten_str json, ten_notebook *out_notebook);
/* The notebook's JSON with the given edits of the joined text; unchanged cells keep their bytes. */
void ten_notebook_join(const ten_notebook *notebook, ten_str json, ten_edits *edits, ten_buf *out);
void ten_notebook_free(ten_notebook *notebook);
/* The cell that contains a position of the joined text; line within it, 1-based. */
int ten_notebook_place(const ten_notebook *notebook, uint32_t offset, unsigned *out_line);

/* Lines of a difference: ' ' both, '-' before, '+' after. */
typedef struct ten_diff_line {
  char sign;
  unsigned before, after; /* 1-based line numbers; 0: not there */
  ten_str text;           /* without its line break */
} ten_diff_line;
typedef TEN_VEC(ten_diff_line) ten_diff;
void ten_diff_lines(ten_str before, ten_str after, ten_diff *out);
void ten_diff_unified(const char *path, ten_str before, ten_str after, ten_buf *out);

void ten_report_text(const ten_migration *migration, ten_buf *out);
void ten_report_json(const ten_migration *migration, ten_buf *out);
void ten_report_html(const ten_migration *migration, ten_buf *out);
void ten_report_sarif(const ten_migration *migration, ten_buf *out);
const char *ten_note_kind_name(ten_note_kind kind);

#endif
