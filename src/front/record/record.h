/* record.h: the recorder of a lazy device: ops in call order, and the programs compiled from them.
 *
 * A node is a row of 64-bit words: the op, then its arguments, each a head (its kind and the number of words that
 * follow) and those words. Two graphs with equal rows are one program; the values still in use determine what it
 * returns. While a graph is recorded it follows the program that began with the same rows: as long as the rows are
 * equal, it reuses that program's result types, keys and lines without lookups.
 *
 * The recorder runs nothing and is independent of frameworks: its owner compiles the JSON, and locks: it is not
 * thread-safe. Ids (ops, strings, specs, results, keys, lines) count from 0 and are never reused. */
#ifndef TEN_RECORD_RECORD_H
#define TEN_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ten_recorder ten_recorder;
typedef struct ten_record_program ten_record_program;

enum {
  TEN_RECORD_RANK_MAX = 64,       /* dimensions of a value */
  TEN_RECORD_NO = UINT32_MAX,     /* no spec, key, line, result list or node */
  TEN_RECORD_FOLD_MAX = 32,       /* ops that a folded constant may have */
  TEN_RECORD_FOLD_SIZE = 1 << 20, /* elements of a value that is folded */
  TEN_RECORD_PEEK_SIZE = 1 << 14, /* the same where inputs are read for it */
  TEN_RECORD_NODES_MAX = 20000,   /* the graph is run when more nodes than this are pending */
  TEN_RECORD_CUT_MIN = 32,        /* graphs with fewer nodes are not compiled separately */
  TEN_RECORD_KEYS_MAX = 100000,   /* keys whose result types are remembered */
  TEN_RECORD_PROGRAMS_MAX = 512   /* programs stored; the oldest quarter is dropped beyond that */
};

/* Kinds of arguments. The words after the head are: */
typedef enum ten_record_kind {
  TEN_RECORD_MISSING, /* none: it was omitted */
  TEN_RECORD_NONE,    /* none: it is None */
  TEN_RECORD_VALUE,   /* a value of the graph */
  TEN_RECORD_SCALAR,  /* the index of a program input that holds the number */
  TEN_RECORD_BOOL,    /* 0 or 1 */
  TEN_RECORD_INT,     /* an int64_t */
  TEN_RECORD_FLOAT,   /* the bits of a double */
  TEN_RECORD_COMPLEX, /* the bits of two doubles */
  TEN_RECORD_STRING,  /* its id */
  TEN_RECORD_DTYPE,   /* its number in torch.export's schema */
  TEN_RECORD_FORMAT,  /* a memory format, in the same way */
  TEN_RECORD_LAYOUT,  /* a layout, in the same way */
  TEN_RECORD_INTS,    /* as many as there are */
  TEN_RECORD_BOOLS,
  TEN_RECORD_FLOATS,
  TEN_RECORD_STRINGS,
  TEN_RECORD_LIST, /* arguments, each with its head: tensors, numbers, None */
} ten_record_kind;

static inline uint64_t ten_record_head(ten_record_kind kind, size_t words) { return (uint64_t)words << 8 | kind; }
static inline ten_record_kind ten_record_kind_of(uint64_t head) { return (ten_record_kind)(head & 0xff); }
static inline size_t ten_record_words(uint64_t head) { return (size_t)(head >> 8); }
static inline uint64_t ten_record_bits(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}
static inline double ten_record_number(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Properties of an op. */
enum {
  TEN_RECORD_RANDOM = 1,      /* draws random numbers */
  TEN_RECORD_MAY_PROMOTE = 2, /* its numbers become inputs of the program once they change */
  TEN_RECORD_PROMOTES = 4,    /* its numbers are always inputs */
  TEN_RECORD_CUSTOM = 8       /* its lowering is given as StableHLO (ten_recorder_body) */
};
enum { TEN_RECORD_INPUT = 0 }; /* the op of an input; its only argument is an INT: the spec */

/* Shape, strides, offset and type of a value; unique. */
typedef struct ten_record_spec {
  uint32_t dtype, rank;
  int64_t offset, elements;
  const int64_t *shape, *strides; /* owned by the recorder */
  const int64_t *order;           /* dimensions in memory order, if dense and not row-major; or NULL */
} ten_record_spec;

ten_recorder *ten_recorder_create(void);
void ten_recorder_destroy(ten_recorder *recorder);

/* ---- names ---- */
uint32_t ten_recorder_op(ten_recorder *recorder, ten_str name, size_t count, const ten_str *arguments, uint32_t flags);
uint32_t ten_recorder_string(ten_recorder *recorder, ten_str text);
ten_str ten_recorder_text(const ten_recorder *recorder, uint32_t string);
/* The name of an element type, for messages. */
void ten_recorder_dtype(ten_recorder *recorder, uint32_t dtype, ten_str name);
uint32_t ten_recorder_line(ten_recorder *recorder, ten_str file, ten_str function, uint32_t number);
/* Row-major where `strides` is NULL. At most TEN_RECORD_RANK_MAX dimensions. */
uint32_t ten_recorder_spec(ten_recorder *recorder, uint32_t dtype, uint32_t rank, const int64_t *shape,
                           const int64_t *strides, int64_t offset);
/* Valid until the next spec is added; its arrays as long as the recorder. */
const ten_record_spec *ten_recorder_spec_of(const ten_recorder *recorder, uint32_t spec);
/* A list of result types; TEN_RECORD_NO where a result is not a tensor. */
uint32_t ten_recorder_results(ten_recorder *recorder, size_t count, const uint32_t *specs);
/* Valid until the next list is added. */
const uint64_t *ten_recorder_results_of(const ten_recorder *recorder, uint32_t results, size_t *out_count);

/* ---- recording ---- */
uint64_t ten_recorder_graph(const ten_recorder *recorder); /* unique per graph, from 1 */
size_t ten_recorder_count(const ten_recorder *recorder);   /* nodes of the graph */
/* Whether the row is the next one of the program that the graph follows; returns its result types and line. */
bool ten_recorder_follow(const ten_recorder *recorder, const uint64_t *row, size_t count, uint32_t *out_results,
                         uint32_t *out_line);
/* The key that determines the types of an op's results: the row, with a type for each value. *out_results: those given
 * for it (ten_recorder_infer), or TEN_RECORD_NO. */
uint32_t ten_recorder_key(ten_recorder *recorder, const uint64_t *row, size_t count, uint32_t *out_results);
void ten_recorder_infer(ten_recorder *recorder, uint32_t key, uint32_t results);
/* Adds a node; returns the number of its first result. */
uint32_t ten_recorder_add(ten_recorder *recorder, const uint64_t *row, size_t count, uint32_t results, uint32_t key,
                          uint32_t line);
uint32_t ten_recorder_input(ten_recorder *recorder, uint32_t spec);
uint32_t ten_recorder_value_spec(const ten_recorder *recorder, uint32_t value);
/* Whether a number of an op is an input of the program: by the op, or because it has changed at this line. */
bool ten_recorder_may_promote(const ten_recorder *recorder, uint32_t op, double number);
bool ten_recorder_promotes(const ten_recorder *recorder, uint32_t op);
bool ten_recorder_has_changing(const ten_recorder *recorder);
bool ten_recorder_is_changing(const ten_recorder *recorder, uint32_t op, size_t argument, uint32_t line);
/* Adds a number as an input. Between share(true) and share(false) equal numbers are one input. */
uint32_t ten_recorder_scalar(ten_recorder *recorder, double number);
void ten_recorder_share(ten_recorder *recorder, bool on);
const double *ten_recorder_scalars(const ten_recorder *recorder, size_t *out_count);
/* An op writes to the memory of a value. */
void ten_recorder_write(ten_recorder *recorder, uint32_t value);
bool ten_recorder_is_written(const ten_recorder *recorder, uint32_t value);
bool ten_recorder_is_random(const ten_recorder *recorder);
/* Stops following a program: copies what was shared with it. */
void ten_recorder_leave(ten_recorder *recorder);
/* Drops the graph. */
void ten_recorder_reset(ten_recorder *recorder);

/* ---- reading ---- */
const uint64_t *ten_recorder_row(const ten_recorder *recorder, size_t node, size_t *out_count);
uint32_t ten_recorder_node_key(const ten_recorder *recorder, size_t node);  /* after ten_recorder_leave */
uint32_t ten_recorder_node_line(const ten_recorder *recorder, size_t node); /* the same */
/* The number of each result, -1 where it is not a tensor; returns the count, `numbers` holds `capacity`. */
size_t ten_recorder_node_values(const ten_recorder *recorder, size_t node, int64_t *numbers, size_t capacity);
/* The nodes that compute a value from numbers alone, or with `inputs` from inputs too, at most TEN_RECORD_FOLD_MAX + 1:
 * 0 if they are more, large, random, or write to values. */
size_t ten_recorder_fold(const ten_recorder *recorder, uint32_t value, bool inputs,
                         uint32_t nodes[TEN_RECORD_FOLD_MAX + 1]);
/* The StableHLO of a node whose op is CUSTOM. */
void ten_recorder_body(ten_recorder *recorder, size_t node, ten_str text);
/* The graph in torch.export's schema, returning these values. `only` (or TEN_RECORD_NO): a single node, whose operands
 * are the inputs. After ten_recorder_leave. */
void ten_recorder_json(const ten_recorder *recorder, size_t count, const uint32_t *wanted, uint32_t only, ten_buf *out);

/* ---- programs ---- */
/* The stored program with the graph's rows, or NULL. If there is none, but one differs only in numbers, those become
 * inputs first; *why describes the difference to the most similar one. */
ten_record_program *ten_recorder_find(ten_recorder *recorder, ten_buf *why);
/* Stores the graph as a program; `*out_dropped` programs at the front of `dropped` were dropped for it. */
ten_record_program *ten_recorder_store(ten_recorder *recorder, uint64_t dropped[TEN_RECORD_PROGRAMS_MAX],
                                       size_t *out_dropped);
uint64_t ten_record_program_number(const ten_record_program *program); /* never reused */
/* The index of the executable, in the order of adding, that returns these values, or -1; an exact match first. */
int64_t ten_record_program_executable(const ten_record_program *program, size_t count, const uint32_t *wanted);
void ten_record_program_add(ten_record_program *program, size_t count, const uint32_t *returned);
/* This program runs now: the next graph may follow the one that ran after it last time. NULL: not stored. */
void ten_recorder_ran(ten_recorder *recorder, ten_record_program *program);
/* Drops all programs, because compile options changed. */
void ten_recorder_clear(ten_recorder *recorder);

#endif
