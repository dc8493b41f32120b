/* internal.h: shared by the files of the tensor runtime. */
#ifndef TEN_TENSOR_INTERNAL_H
#define TEN_TENSOR_INTERNAL_H

#include "backend/backend.h"
#include "tenfold/tensor.h"

enum {
  TENSOR_RANK_MAX = 32,           /* of an array */
  TENSOR_OUTPUTS_MAX = 4096,      /* of an operation */
  TENSOR_LOWER_RANK = 16,         /* the most that lowering takes: arrays of a higher rank are only read and reshaped */
  TENSOR_PENDING_MAX = 4096,      /* operations recorded and not run: more than this are run, whatever happens next */
  TENSOR_INFERRED_MAX = 65536,    /* operations whose result types are remembered */
  TENSOR_PROGRAMS_MAX = 2048,     /* programs stored; the oldest half is dropped then */
  TENSOR_PROGRAM_WORDS = 1 << 18, /* of their keys together, likewise: 64 MiB of compiled programs or so */
  TENSOR_RECENT = 64,             /* strings found by their address; a power of two */
  TENSOR_RELEASED = 64,           /* arrays whose use after their release is an error */
  TENSOR_RECENT_OPS = 128,        /* operations found by their name's address and their operands; a power of two */
  TENSOR_RECENT_WORDS = 8,        /* of the row of such an operation */
  TENSOR_RECENT_RANK = 6,         /* of its operands */
  TENSOR_NUMBERS = 32,            /* values of numbers found by their bits; a power of two */
  TENSOR_HOLDER_BYTES = 65536,    /* values of fewer bytes are not named where memory runs out */
  TENSOR_INTERPRET_WORK = 65536,  /* elements that the interpreter may compute, over all runs, before a compilation */
  TENSOR_MOVED_WORK = 16384       /* elements up to which a program that only moves them needs no device */
};
#define TENSOR_PENDING_BYTES ((size_t)1 << 28) /* results and inputs of pending operations: more than this are run */

typedef struct tensor_type {
  ten_dtype dtype;
  uint32_t rank;
  bool checked; /* of an operation's first result: it checks its operands' elements when it runs */
  int64_t dims[TENSOR_RANK_MAX];
} tensor_type;

typedef struct tensor_node tensor_node;

typedef struct tensor_operand {
  tensor_node *node;
  uint32_t result;
} tensor_operand;

typedef struct tensor_result {
  ten_dtype dtype;
  uint32_t rank;
  const int64_t *dims; /* of the node */
  ten_tensor *value;   /* owned reference, or NULL: not computed */
  uint32_t handles;    /* arrays that are this result */
  uint32_t users;      /* operands that are this result */
  uint32_t inner;      /* scratch: users among the nodes at hand */
  int64_t number;      /* scratch: of the input it is in the program at hand, or -1 */
} tensor_result;

/* An operation, or a value from outside or a placeholder (no words). The row of an operation: op id, then for each
 * argument a head (name id, kind, words that follow) and its words; arrays are numbers of operands. */
struct tensor_node {
  size_t references; /* arrays and operands */
  uint64_t sequence; /* later ones are made of earlier ones */
  uint64_t mark;     /* scratch: the walk that has seen it */
  uint32_t number;   /* scratch: its place in the walk */
  bool pending;      /* in the device's list */
  bool taped;        /* its operands stay known after it ran */
  bool checked;      /* it may fail when it runs: the error names its site */
  bool abstract;     /* a placeholder, or made of one: it cannot be computed */
  uint32_t operand_count, result_count;
  tensor_operand *operands;
  tensor_result *results;
  uint64_t *words;
  size_t word_count;
  size_t charge;                /* bytes that it counts for while it is pending */
  bool holds;                   /* in the device's list of nodes with large values */
  uint32_t site;                /* where it was made: a string of the device + 1, or 0; atomic */
  tensor_node *next, *previous; /* in the list of what is pending, or of what holds */
};

/* Strings by number. */
typedef struct tensor_strings {
  TEN_VEC(char *) texts; /* owned */
  uint32_t *slots;       /* owned: number + 1, or 0 */
  size_t capacity;
  struct {
    const char *address;
    uint32_t number;
  } recent[TENSOR_RECENT]; /* texts by where the caller has them: names of operations and arguments are literals */
} tensor_strings;

typedef struct tensor_inferred {
  uint64_t hash;
  uint64_t *key; /* owned */
  size_t key_count;
  uint32_t count;
  tensor_type *types; /* owned */
} tensor_inferred;

/* An operation of one or two arrays as it was recorded last: its row, and the type of its result. */
typedef struct tensor_recent_type {
  ten_dtype dtype;
  uint32_t rank;
  int64_t dims[TENSOR_RECENT_RANK];
} tensor_recent_type;
typedef struct tensor_recent {
  const char *address; /* of its name, where the caller has it; NULL: none */
  uint32_t name;
  size_t count;
  tensor_recent_type operands[2];
  size_t word_count;
  uint64_t words[TENSOR_RECENT_WORDS];
  tensor_type type;
} tensor_recent;

/* A graph that was lowered: the key is its rows, the types of its inputs and what it returns. */
typedef struct tensor_program {
  uint64_t hash;
  uint64_t *key; /* owned */
  size_t key_count;
  ten_module *module; /* owned: StableHLO; NULL: a gradient, which is */
  uint32_t text;      /* the string */
  const ten_op *func;
  ten_executable *interpreted, *compiled; /* owned, or NULL */
  uint64_t work, spent, runs;
  bool moves;    /* elements only: nothing is computed */
  uint64_t last; /* the run of the device that used it last */
  size_t references;
} tensor_program;

/* A walk over the operations that some results need, in the order they were recorded. */
typedef struct tensor_graph {
  TEN_VEC(tensor_node *) nodes;
  TEN_VEC(tensor_operand) inputs;
  TEN_VEC(tensor_operand) outputs;
  TEN_VEC(uint64_t) key;
  bool through;
} tensor_graph;

/* What the thread that holds the lock does. A process that is forked meanwhile has no such thread. */
typedef enum tensor_use {
  TENSOR_IDLE,
  TENSOR_CHANGES, /* lists and counts may be half changed: the child cannot use them */
  TENSOR_RUNS     /* a program runs: only its scratch has to be cleared */
} tensor_use;

struct ten_device {
  int references; /* atomic */
  ten_mutex mutex;
  tensor_use use;
  uint32_t forks;    /* ten_forks() when it was locked last */
  bool walking;      /* TENSOR_RUNS: `walked` has numbered its inputs */
  bool broken;       /* this process was forked at TENSOR_CHANGES */
  char *name;        /* owned */
  const char *kind;  /* of the backend */
  char *description; /* owned: what it runs on */
  const ten_backend *backend;
  const ten_backend *small; /* what runs small graphs: the interpreter, or NULL */
  const ten_backend *mover; /* what runs small graphs that only move elements, as values are in host memory; or NULL */
  size_t arrays;            /* as long as there is one, they hold a reference to the device */
  ten_array *released[TENSOR_RELEASED]; /* owned, or NULL: the last ones, whose use is an error that says so */
  size_t released_count;                /* so far */
  tensor_strings strings;
  struct {
    tensor_inferred *entries; /* owned, open-addressed */
    size_t count, capacity;
  } inferred;
  tensor_recent *recent;               /* owned: TENSOR_RECENT_OPS of them */
  ten_tensor *numbers[TENSOR_NUMBERS]; /* owned references: numbers that were operands last, or NULL */
  TEN_VEC(tensor_program *) programs;  /* owned */
  size_t program_words;                /* of their keys */
  struct {
    uint32_t *slots; /* owned: place in programs + 1, or 0 */
    size_t capacity;
  } program_table;
  tensor_graph walked;       /* room for the graph that is run: a small one is collected without an allocation */
  tensor_node *first, *last; /* pending, in the order they were recorded */
  size_t pending, pending_bytes;
  size_t pending_stuck; /* after a failed run: the count from which it is tried again; 0: no failure */
  uint64_t sequence, walk;
  unsigned tapes;
  TEN_VEC(tensor_node *) taped; /* references: nodes that ran and know their operands */
  size_t bytes, bytes_peak;
  ten_mempool *pool;    /* owned reference: where values of some size lie */
  size_t outside;       /* bytes of values that are neither in the pool nor borrowed */
  size_t limit;         /* of both together; SIZE_MAX: none */
  tensor_node *holders; /* nodes with large values, the latest first */
  uint64_t recorded, runs, compiled, interpreted_runs;
  TEN_VEC(ten_tensor *) garbage; /* released once the mutex is not held */
};

struct ten_array {
  int references; /* atomic; 0 or less: it was released */
  ten_device *device;
  tensor_node *node; /* NULL: it was released */
  uint32_t result;
};

static inline uint64_t tensor_head(uint32_t name, ten_argument_kind kind, size_t words) {
  return (uint64_t)words << 32 | (uint64_t)name << 8 | (uint64_t)kind;
}
static inline ten_argument_kind tensor_head_kind(uint64_t head) { return (ten_argument_kind)(head & 0xff); }
static inline uint32_t tensor_head_name(uint64_t head) { return (uint32_t)(head >> 8 & 0xffffff); }
static inline size_t tensor_head_words(uint64_t head) { return (size_t)(head >> 32); }

static inline bool tensor_is_live(const ten_array *array) {
  return array && __atomic_load_n(&array->references, __ATOMIC_RELAXED) > 0;
}
/* The error where one of these is NULL or was released. */
TEN_MUST_USE ten_status *tensor_live(const char *what, size_t count, ten_array *const *arrays);

static inline tensor_result *tensor_result_of(const ten_array *array) { return &array->node->results[array->result]; }
static inline tensor_result *tensor_operand_result(const tensor_operand *operand) {
  return &operand->node->results[operand->result];
}

/* ---- device.c ---- */
void tensor_lock(ten_device *device);
void tensor_unlock(ten_device *device); /* and releases what was dropped meanwhile */
/* An error in a process that was forked while another thread changed the device. */
TEN_MUST_USE ten_status *tensor_usable(const ten_device *device);
uint32_t tensor_string(ten_device *device, ten_str text);
uint32_t tensor_name(ten_device *device, const char *text); /* the same, faster where the text is seen often */
static inline ten_str tensor_text(const ten_device *device, uint32_t string) {
  return ten_str_of(device->strings.texts.data[string]);
}

/* ---- node.c; all with the device locked ---- */
/* A new node with room for the row and the types copied; in the pending list where it has words. */
tensor_node *tensor_node_create(ten_device *device, size_t word_count, const uint64_t *words, uint32_t operand_count,
                                const tensor_operand *operands, uint32_t result_count, const tensor_type *types);
void tensor_node_release(ten_device *device, tensor_node *node);
/* Takes the reference to the value. */
void tensor_node_set(ten_device *device, tensor_node *node, uint32_t result, ten_tensor *value);
/* It has run: it is pending no more and, unless it is taped, forgets its operands. */
void tensor_node_done(ten_device *device, tensor_node *node);
void tensor_tape_forget(ten_device *device); /* no tape is left */
ten_array *tensor_array_new(ten_device *device, tensor_node *node, uint32_t result);
void tensor_array_drop(ten_device *device, ten_array *array); /* ten_array_release with the device locked */
/* A value from outside as an array; takes the reference. */
ten_array *tensor_array_of(ten_device *device, ten_tensor *value);

/* Computes the array; the value is borrowed from it. Takes the lock. */
TEN_MUST_USE ten_status *tensor_value_of(ten_array *array, ten_tensor **out_value);

/* The element at a row-major position as an array without dimensions, read with no program. NULL: the array is not
 * computed, or a tape has to know what is made of it. Takes the lock. */
ten_array *tensor_element_of(ten_array *array, size_t position);

/* ---- record.c ---- */
TEN_MUST_USE ten_status *tensor_record(ten_device *device, const char *name, const ten_argument *arguments,
                                       size_t count, ten_array **outputs, size_t output_count);
/* An operation whose row and result types are known. */
TEN_MUST_USE ten_status *tensor_record_row(ten_device *device, size_t word_count, const uint64_t *words,
                                           uint32_t operand_count, const tensor_operand *operands,
                                           const tensor_type *types, ten_array **outputs, size_t output_count);
/* An operation whose body is a string of the device: StableHLO. */
TEN_MUST_USE ten_status *tensor_record_body(ten_device *device, uint32_t string, size_t input_count,
                                            ten_array *const *inputs, ten_array **outputs, size_t output_count);

/* ---- recent.c; with the device locked ---- */
/* NULL: it is not among those that were recorded last. */
const tensor_recent *tensor_recent_find(const ten_device *device, const char *name, size_t count,
                                        const tensor_operand *operands);
/* Remembers the operation `name` of these operands, which became `node`. */
void tensor_recent_add(ten_device *device, const char *name, size_t count, const tensor_operand *operands,
                       const tensor_node *node);

/* A number as a value without dimensions; a reference for the caller. What a loop adds and multiplies by is the same
 * each time. */
TEN_MUST_USE ten_status *tensor_number_value(ten_device *device, ten_dtype dtype, const void *element,
                                             ten_tensor **out_value);

/* ---- ops.c ---- */
/* ten_array_binary of an array and a number: `element`, of `dtype`, as the second operand, or as the first. */
TEN_MUST_USE ten_status *tensor_binary_number(const char *name, ten_array *x, ten_dtype dtype, const void *element,
                                              bool first, ten_array **out_array);

/* ---- grad.c ---- */
/* How many arrays it takes and gives. */
void tensor_function_counts(const ten_function *function, size_t *out_inputs, size_t *out_outputs);

/* ---- build.c ---- */
void tensor_graph_clear(tensor_graph *graph); /* empty, with the room that it has */
void tensor_graph_reset(tensor_graph *graph); /* numbers no inputs any more: after the last use of a graph */
void tensor_graph_free(tensor_graph *graph);
/* All nodes that the roots need and that have no value; `cuts`, results that are inputs whatever they are made of,
 * come first among the inputs. `through`: taped nodes with values are walked through, too. */
void tensor_graph_collect(ten_device *device, tensor_graph *graph, size_t root_count, const tensor_operand *roots,
                          size_t cut_count, const tensor_operand *cuts, bool through);
void tensor_graph_key(tensor_graph *graph);
void tensor_graph_key_outputs(tensor_graph *graph); /* adds what it returns */
TEN_MUST_USE ten_status *tensor_graph_lower(ten_device *device, const tensor_graph *graph, bool training,
                                            ten_module **out_module);
/* The node whose check has failed, whose site the error has to name; NULL: the error is not of a check of this graph.
 */
const tensor_node *tensor_graph_failed(const tensor_graph *graph, const ten_status *status);
/* The result types of one op. */
TEN_MUST_USE ten_status *tensor_infer(ten_device *device, const uint64_t *words, size_t word_count,
                                      uint32_t operand_count, const tensor_operand *operands, uint32_t result_count,
                                      tensor_type *types);

/* ---- errors.c; with the device locked ---- */
/* Gives operations that are not defined on all types their numbers: the first strings of a new device. */
void tensor_refusals_number(ten_device *device);
/* An operation, by its number, that is not defined on elements of these types; NULL: nothing is known to be wrong. */
TEN_MUST_USE ten_status *tensor_wrong_types(uint64_t op, uint32_t count, const tensor_operand *operands);
/* What inference said of an operation, with the shapes that it got, as the exception that NumPy would raise. */
TEN_MUST_USE ten_status *tensor_wrong_operands(ten_status *status, const char *name, uint32_t count,
                                               const tensor_operand *operands);
/* What a run said: the operation at fault by the line that recorded it. `graph` may be NULL. */
TEN_MUST_USE ten_status *tensor_wrong_values(ten_device *device, ten_status *status, const tensor_graph *graph);
void tensor_shape_print(ten_buf *out, uint32_t rank, const int64_t *dims); /* (2,3) */
const char *tensor_dtype_name(ten_dtype dtype);                            /* as the array standard has it */

/* ---- memory.c; with the device locked, where nothing else is said ---- */
/* A value of the device's memory; where there is none, the error names the largest holders. Takes the lock. */
TEN_MUST_USE ten_status *tensor_value_make(ten_device *device, bool zeroed, ten_dtype dtype, uint32_t rank,
                                           const int64_t *dims, ten_tensor **out_value);
/* Whether the limit leaves room for the results of a program. */
TEN_MUST_USE ten_status *tensor_memory_admit(ten_device *device, const ten_op *func);
/* Adds the largest holders to an error of too little memory. */
TEN_MUST_USE ten_status *tensor_memory_explain(ten_device *device, ten_status *status);
void tensor_memory_add(ten_device *device, const ten_tensor *value); /* a value that came, and one that goes */
void tensor_memory_remove(ten_device *device, const ten_tensor *value);
/* The node is pending no more: it may hold large values from now on; and it goes. */
void tensor_holder_add(ten_device *device, tensor_node *node);
void tensor_holder_remove(ten_device *device, tensor_node *node);
/* Where what has that text as its place was made (`node->site`). Takes the lock. */
uint32_t tensor_site(ten_device *device, const char *text);

/* ---- run.c; with the device locked ---- */
/* Computes these results, and those that others still need on the way. */
TEN_MUST_USE ten_status *tensor_evaluate(ten_device *device, size_t count, const tensor_operand *roots);
/* Everything that is pending. */
TEN_MUST_USE ten_status *tensor_flush(ten_device *device);
/* The stored program of the graph, lowered where there is none yet. */
TEN_MUST_USE ten_status *tensor_program_of(ten_device *device, const tensor_graph *graph, tensor_program **out_program);
tensor_program *tensor_program_find(const ten_device *device, const tensor_graph *graph); /* NULL: there is none */
tensor_program *tensor_program_store(ten_device *device, const tensor_graph *graph, ten_module *module, uint32_t text);
TEN_MUST_USE ten_status *tensor_program_run(ten_device *device, tensor_program *program, ten_tensor *const *inputs,
                                            size_t input_count, ten_tensor **outputs);
void tensor_program_free(tensor_program *program);

#endif
