/* migrate.h: converts PyTorch source to PyTorch/XLA or TorchTPU source, with every change explained.
 *
 * A migration is computed in memory; nothing is written until ten_migration_write. Files that do not parse, before or
 * after, are never written.
 *
 * Threads: a migration belongs to one thread at a time; several may be made at once. Texts that functions return are
 * borrowed from the migration, unless it says otherwise. */
#ifndef TENFOLD_MIGRATE_H
#define TENFOLD_MIGRATE_H

#include <stdbool.h>
#include <stddef.h>

#include "tenfold/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ten_migrate_target { TEN_TARGET_TORCH_XLA = 0, TEN_TARGET_TORCH_TPU = 1 } ten_migrate_target;

typedef enum ten_report_format {
  TEN_REPORT_TEXT = 0, /* for a terminal */
  TEN_REPORT_JSON = 1,
  TEN_REPORT_HTML = 2,
  TEN_REPORT_SARIF = 3,
  TEN_REPORT_DIFF = 4 /* unified, as patch(1) reads it */
} ten_report_format;

typedef enum ten_note_kind {
  TEN_NOTE_INFO = 0,
  TEN_NOTE_HOST_SYNC = 1, /* the device will wait for the host here, or the reverse */
  TEN_NOTE_RECOMPILE = 2, /* a new shape, a new program */
  TEN_NOTE_FALLBACK = 3,  /* an op that the device lacks */
  TEN_NOTE_HUMAN = 4      /* needs a decision; makes the exit status 1 */
} ten_note_kind;

/* Files, their changes and the reasons. A caller that gets one from a function here destroys it once. */
typedef struct ten_migration ten_migration;

/* Called for each change before it is made; false drops it. `user` is ask_user of the options. The change is that of
 * `rule`, for `reason`, at `line` of the file at `path`: `before` becomes `after`. Texts are borrowed for the call. */
typedef bool (*ten_migrate_ask)(void *user, const char *path, unsigned line, unsigned rule, const char *reason,
                                const char *before, const char *after);

/* The target and the options of a migration. Set `size` and leave the rest zero for the defaults; later versions add
 * fields at the end. A size below that of version 0.1.0 is TEN_INVALID; a larger one than this library knows is
 * TEN_UNSUPPORTED unless all that it does not know is zero. Texts are borrowed for the call. */
typedef struct ten_migrate_options {
  size_t size; /* sizeof(ten_migrate_options) */
  ten_migrate_target target;
  bool comments;          /* a line above each change names its rule */
  bool device_loader;     /* wrap loaders in pl.MpDeviceLoader where a loop moves its batches */
  bool defer_reads;       /* sum losses on the device and read the sum once, after the loop */
  const char *user_rules; /* path of a YAML file, or NULL */
  const char *disabled;   /* rule numbers not to apply, "101,402", or NULL */
  ten_migrate_ask ask;    /* or NULL: keep every change */
  void *ask_user;
  bool bf16;            /* forward methods under autocast to bfloat16 */
  bool late_sync;       /* the step ends at the end of the loop's body, with what is logged in it */
  bool fused_optimizer; /* one update for all parameters: torch_xla.amp.syncfree, foreach=True */
  bool scan_layers;     /* loops over equal layers through torch_xla.experimental.scan_layers */
  bool length_buckets;  /* padded batches rounded up to a multiple of 32 */
  /* Where ten_migration_write is going to write, or NULL: if that is not writable, it is an error before any work. */
  const char *output;
} ten_migrate_options;

/* One change. Set `size`; later versions add fields at the end. */
typedef struct ten_migrate_change {
  size_t size; /* sizeof(ten_migrate_change) */
  unsigned rule;
  const char *name, *reason; /* of the rule */
  unsigned line, column;     /* in the original, 1-based; a notebook counts within its cell */
  int cell;                  /* of a notebook, 0-based; -1 in a .py file */
  const char *before, *after;
} ten_migrate_change;

/* One note about code that was not changed. Set `size`; later versions add fields at the end. */
typedef struct ten_migrate_note {
  size_t size; /* sizeof(ten_migrate_note) */
  unsigned rule;
  const char *name;
  ten_note_kind kind;
  unsigned line, column;
  int cell;
  const char *text;
} ten_migrate_note;

typedef enum ten_file_state {
  TEN_FILE_CHANGED = 0,
  TEN_FILE_UNCHANGED = 1, /* PyTorch, nothing to do */
  TEN_FILE_NOT_TORCH = 2, /* byte-identical */
  TEN_FILE_FAILED = 3     /* see ten_migration_file_error */
} ten_file_state;

/* Migrates the files and folders (searched for .py and .ipynb) at `paths`, `path_count` of them, as `options` say;
 * NULL: the defaults. A file that cannot be read or parsed is not a failure of the whole: it is in the result with its
 * error. The caller destroys `out_migration`, which is NULL on an error. Errors: TEN_NOT_FOUND for a path that does not
 * exist, TEN_INVALID for options or rules of the user's that are wrong, and for an output that cannot be written
 * (TEN_IO where the system refuses it). */
TEN_API TEN_MUST_USE ten_status *ten_migrate(const char *const *paths, size_t path_count,
                                             const ten_migrate_options *options, ten_migration **out_migration);
/* Migrates the `size` bytes at `text`, under a `name` that only messages use, as `options` say; NULL: the defaults. The
 * caller destroys `out_migration`, which is NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_migrate_text(const char *name, const char *text, size_t size,
                                                  const ten_migrate_options *options, ten_migration **out_migration);
/* Ends `migration`; NULL is allowed. */
TEN_API void ten_migration_destroy(ten_migration *migration);

/* How many files `migration` has. Below, `file` is a number under this one. */
TEN_API size_t ten_migration_file_count(const ten_migration *migration);
/* Where number `file` of `migration` was found. */
TEN_API const char *ten_migration_file_path(const ten_migration *migration, size_t file);
/* The path of number `file` of `migration` below the folder it was found in; also its path below an output folder. */
TEN_API const char *ten_migration_file_relative(const ten_migration *migration, size_t file);
/* What became of number `file` of `migration`. */
TEN_API ten_file_state ten_migration_file_state(const ten_migration *migration, size_t file);
/* Why number `file` of `migration` failed, or NULL. */
TEN_API const char *ten_migration_file_error(const ten_migration *migration, size_t file);
/* The text of number `file` of `migration` as it was, and its bytes in `out_size`. */
TEN_API const char *ten_migration_file_before(const ten_migration *migration, size_t file, size_t *out_size);
/* The text of number `file` of `migration` as it becomes, and its bytes in `out_size`. */
TEN_API const char *ten_migration_file_after(const ten_migration *migration, size_t file, size_t *out_size);
/* How many changes number `file` of `migration` has. */
TEN_API size_t ten_migration_change_count(const ten_migration *migration, size_t file);
/* Fills `out_change`, as far as its size goes, with number `change` of number `file` of `migration`. TEN_INVALID when
 * there is no such change, or when the size is not that of a version of ten_migrate_change. */
TEN_API TEN_MUST_USE ten_status *ten_migration_change(const ten_migration *migration, size_t file, size_t change,
                                                      ten_migrate_change *out_change);
/* How many notes number `file` of `migration` has. */
TEN_API size_t ten_migration_note_count(const ten_migration *migration, size_t file);
/* The same for number `note` of number `file` of `migration`, in `out_note`. */
TEN_API TEN_MUST_USE ten_status *ten_migration_note(const ten_migration *migration, size_t file, size_t note,
                                                    ten_migrate_note *out_note);
/* Whether `migration` left something that a person must decide, or a file of it failed. */
TEN_API bool ten_migration_needs_human(const ten_migration *migration);
/* Of the device-specific calls that `migration` found, the share (0…100) that was migrated; 100 when there were none.
 */
TEN_API double ten_migration_coverage(const ten_migration *migration);

/* A report of `migration` in `format`: `out_text` is the caller's, to be freed by free(), and NULL on an error. */
TEN_API TEN_MUST_USE ten_status *ten_migration_report(const ten_migration *migration, ten_report_format format,
                                                      char **out_text);
/* Writes every file of `migration` under `folder`, at its path relative to where it was found; unchanged files are
 * copied too, so the result runs. TEN_IO when that fails. */
TEN_API TEN_MUST_USE ten_status *ten_migration_write(const ten_migration *migration, const char *folder);
/* Overwrites the originals of `migration` that changed, each first copied to PATH.orig (PATH.orig.1 … when that exists)
 * if `backup`. TEN_IO when that fails. */
TEN_API TEN_MUST_USE ten_status *ten_migration_write_in_place(const ten_migration *migration, bool backup);

/* Row `index` of the table of rules, for listings and documentation: its number in `out_number`, `out_name` and
 * `out_reason` (static), and in `out_targets` a bit for each ten_migrate_target that it is for. Any of them may be
 * NULL. False past the end. */
TEN_API bool ten_migrate_rule(size_t index, unsigned *out_number, const char **out_name, const char **out_reason,
                              unsigned *out_targets);

#ifdef __cplusplus
}
#endif
#endif
