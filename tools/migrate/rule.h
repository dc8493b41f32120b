/* rule.h: the interface of a rule, and its editing functions. A rule is one row of the table in rules.c; it is called
 * for every node of the kinds it names (or once with the module node) and makes changes through the functions here,
 * which keep the text parseable: deleting the only statement of a block leaves `pass`, a deleted argument includes its
 * comma, an inserted statement follows the block's indentation and line ends. */
#ifndef TEN_MIGRATE_RULE_H
#define TEN_MIGRATE_RULE_H

#include "migrate/edit.h"
#include "migrate/values.h"
#include "tenfold/migrate.h"

enum { FOR_XLA = 1, FOR_TPU = 2, FOR_BOTH = 3 };

typedef struct ten_rewrite ten_rewrite;
typedef struct ten_rewrite_rule ten_rewrite_rule;

struct ten_rewrite_rule {
  unsigned number;
  const char *name, *reason;
  unsigned targets;
  ten_py_kind kinds[4]; /* ends at PY_OTHER */
  void (*apply)(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node);
};

extern const ten_rewrite_rule
    *const ten_rule_families[]; /* each a row array that ends with number 0; NULL at the end */
extern const ten_rewrite_rule ten_rules_device[], ten_rules_cuda[], ten_rules_loop[], ten_rules_amp[], ten_rules_data[],
    ten_rules_distributed[], ten_rules_checkpoint[], ten_rules_rng[], ten_rules_compile[], ten_rules_shapes[],
    ten_rules_keep[], ten_rules_place[], ten_rules_optimize[], ten_rules_xla[], ten_rules_xla_processes[],
    ten_rules_torch_tpu[];

/* The modules of the target that migrated code may need; each is imported once, under the first free name in the
 * file. */
typedef enum ten_py_module {
  MOD_TORCH,
  MOD_XLA,
  MOD_XM,
  MOD_XR,
  MOD_PL,
  MOD_TPU,
  MOD_XLA_BACKEND,
  MOD_SYNCFREE,
  MOD_SCAN,
  MOD_CONTEXTLIB,
  MOD_COUNT
} ten_py_module;

/* Functions and classes that new text may use; each is defined once, after the imports, in this order (helpers.c). */
typedef enum ten_helper {
  HELPER_NONE,
  HELPER_TO_DEVICE,
  HELPER_DEVICE_LOADER,
  HELPER_REDUCE_GRADIENTS,
  HELPER_ALL_REDUCE,
  HELPER_ALL_GATHER,
  HELPER_MESH_REDUCE,
  HELPER_RUNNING_STATISTICS,
  HELPER_BATCH_NORM_1D,
  HELPER_BATCH_NORM_2D,
  HELPER_BATCH_NORM_3D,
  HELPER_WITH_STATISTICS,
  HELPER_SMOOTH_L1_LOSS,
  HELPER_SMOOTH_L1,
  HELPER_HUBER_LOSS,
  HELPER_HUBER,
  HELPER_COUNT
} ten_helper;

typedef struct ten_change {
  const ten_rewrite_rule *rule;
  ten_py_node *node;    /* what it is about */
  char *before, *after; /* filled at the end, owned */
} ten_change;

typedef struct ten_note {
  const ten_rewrite_rule *rule;
  ten_note_kind kind;
  ten_py_node *node;
  char *text; /* owned */
} ten_note;

typedef struct ten_block_count {
  const ten_py_node *block;
  unsigned deleted;
} ten_block_count;

struct ten_rewrite {
  ten_py_file *file;
  const ten_migrate_options *options;
  bool xla; /* target */
  ten_edits edits;
  TEN_VEC(ten_change) changes;
  TEN_VEC(ten_note) notes;
  TEN_VEC(ten_block_count) blocks;
  bool needed[MOD_COUNT];
  const char *module_names[MOD_COUNT];     /* once chosen */
  const ten_rewrite_rule *keep_parameters; /* the rule that needs moves to keep parameter objects, or NULL */
  ten_py_node *keep_node;
  const ten_rewrite_rule *bucket_rule;           /* the rule that needs pad_to_bucket defined, or NULL */
  const ten_rewrite_rule *helpers[HELPER_COUNT]; /* the rule that needs each helper defined, or NULL */
  const ten_rewrite_rule *device_rule;           /* the rule that needs `device = …` after the imports, or NULL */
  TEN_VEC(const ten_py_node *) moved_loops;      /* loops that get `x = x.to(device)` as their first statement */
  const ten_py_node *at;                         /* the current node */
  int launches;           /* the file starts processes (torch.multiprocessing.spawn): 1 yes, -1 no, 0 unknown */
  int xla_launches;       /* a PyTorch/XLA program of several processes: 1 yes, -1 no, 0 unknown */
  int trains;             /* the program computes gradients: 1 yes, -1 no, 0 unknown */
  bool places;            /* something in the project names an accelerator or moves to a device */
  unsigned seen, handled; /* device-specific calls: for the coverage figure */
  char scratch[8][512];   /* ring of buffers for short texts */
  unsigned scratch_next;
};

static inline ten_str rw_text(const ten_rewrite *rw, const ten_py_node *node) {
  return ten_py_text(&rw->file->tree, node);
}
static inline bool rw_is(const ten_rewrite *rw, const ten_py_node *node, const char *text) {
  return node && ten_str_is(rw_text(rw, node), text);
}

/* The device number that a call or keyword argument passes: x.to(rank), f(device=0); or NULL. */
ten_py_node *ten_rank_device(ten_py_file *file, ten_py_node *node);

/* Starts a change about `node`; the edits that follow belong to it. */
unsigned ten_change_begin(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node);
bool ten_change_edit(ten_rewrite *rw, unsigned change, uint32_t start, uint32_t end, const char *format, ...)
    TEN_PRINTF(5, 6);
/* Replaces a node and claims it. False when another change already did. */
bool ten_rewrite_node(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node, const char *format, ...)
    TEN_PRINTF(4, 5);
bool ten_rewrite_span(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *about, uint32_t start, uint32_t end,
                      const char *format, ...) TEN_PRINTF(6, 7);
bool ten_delete_statement(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement);
bool ten_delete_argument(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *argument);
bool ten_add_argument(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call, const char *format, ...)
    TEN_PRINTF(4, 5);
bool ten_insert_after(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement, const char *format, ...)
    TEN_PRINTF(4, 5);
bool ten_insert_before(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *statement, const char *format, ...)
    TEN_PRINTF(4, 5);
void ten_note_add(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_note_kind kind, ten_py_node *node,
                  const char *format, ...) TEN_PRINTF(5, 6);
/* Counts a device-specific construct; `handled` when a change handled it. */
void ten_coverage(ten_rewrite *rw, bool handled);

/* The name of a module of the target in this file; ensures that it is imported. */
const char *ten_use(ten_rewrite *rw, ten_py_module module);
/* Text of an expression for the device, at `node`: a device variable in scope, else the target's own call. */
const char *ten_device_expression(ten_rewrite *rw, const ten_py_node *node);
const char *ten_device_call(ten_rewrite *rw);                 /* torch_xla.device(), torch.device("tpu") */
const char *ten_device_name(const ten_rewrite *rw);           /* xla, tpu */
bool ten_is_launch(ten_rewrite *rw, const ten_py_node *node); /* torch.multiprocessing.spawn(…), torch_xla.launch(…) */
/* Whether `node` runs in the parent process before a launch, where the device's runtime must not be
 * started. */
bool ten_before_launch(ten_rewrite *rw, const ten_py_node *node);
/* Quotes `text` the way the literal at `like` is quoted. */
const char *ten_quoted(ten_rewrite *rw, const ten_py_node *like, const char *text);
char *ten_scratch(ten_rewrite *rw);
/* Statements of the block that `statement` is in, or the block of a compound statement's body. */
const char *ten_indent_of(ten_rewrite *rw, const ten_py_node *statement);
/* Whether no other statement shares a line with it. */
bool ten_alone_on_line(ten_rewrite *rw, const ten_py_node *statement);
/* Inserts the import statements, at the end, when it is known which are needed (imports.c). */
void ten_place_imports(ten_rewrite *rw);
/* Defines the helpers after the statement `last`; they are written for torch under its name in this file. */
void ten_place_helpers(ten_rewrite *rw, ten_py_node *last);
const char *ten_helper_name(ten_helper helper);
bool ten_is_helper(ten_str name);
/* New text uses the helper: it is defined after the imports, once, with what it needs. */
void ten_helper_use(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_helper helper);
/* The last statement of the first block of imports, after which helpers and settings go; or NULL. */
ten_py_node *ten_last_import(const ten_rewrite *rw);

bool ten_rule_enabled(const ten_rewrite *rw, const ten_rewrite_rule *rule);
/* The rules of a rewrite, by the kind of node they visit, in the order of the families. */
typedef struct ten_rules_by_kind {
  TEN_VEC(const ten_rewrite_rule *) of[PY_KIND_COUNT];
} ten_rules_by_kind;
void ten_rules_sort(const ten_rewrite *rw, const ten_rewrite_rule *const *families, ten_rules_by_kind *out);
void ten_rules_by_kind_free(ten_rules_by_kind *rules);
/* Runs every rule over the file; `user` holds the rules of a YAML file, or NULL. */
struct ten_user_rules;
void ten_rules_run(ten_rewrite *rw, const struct ten_user_rules *user);

TEN_MUST_USE ten_status *ten_user_rules_load(const char *path, struct ten_user_rules **out_rules);
void ten_user_rules_free(struct ten_user_rules *rules);
void ten_user_rules_run(const struct ten_user_rules *rules, ten_rewrite *rw);

#endif
