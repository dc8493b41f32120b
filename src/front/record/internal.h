/* internal.h: shared by the files of the recorder. */
#ifndef TEN_RECORD_INTERNAL_H
#define TEN_RECORD_INTERNAL_H

#include "base/arena.h"
#include "front/record/record.h"

/* Unique rows of words: the id of a row is its index. */
typedef struct record_table {
  TEN_VEC(uint64_t) words;
  TEN_VEC(size_t) ends; /* of each row in words */
  uint32_t *slots;      /* owned hash table of id + 1; 0: free */
  size_t capacity;      /* of slots; a power of two */
} record_table;

uint32_t record_table_find(const record_table *table, const uint64_t *words, size_t count); /* or TEN_RECORD_NO */
uint32_t record_table_add(record_table *table, const uint64_t *words, size_t count);
const uint64_t *record_table_row(const record_table *table, uint32_t id, size_t *out_count);
void record_table_free(record_table *table);

typedef struct record_op {
  uint32_t name;       /* a string */
  uint32_t *arguments; /* owned: strings */
  size_t count;
  uint32_t flags;
} record_op;

/* The nodes of a graph or of a program. */
typedef struct record_nodes {
  TEN_VEC(uint64_t) words;
  TEN_VEC(size_t) ends;                           /* of each node's row */
  TEN_VEC(uint32_t) results, keys, lines, firsts; /* of each node: types of results, key, line, first value */
} record_nodes;

typedef struct record_returned {
  uint32_t *values; /* owned */
  size_t count;
} record_returned;

struct ten_record_program {
  record_nodes nodes;
  uint64_t number, digest;
  uint32_t values;               /* of the graph */
  uint64_t next;                 /* the program that ran after it last time: its number, or 0 */
  TEN_VEC(record_returned) made; /* executables, by their returned values */
};

typedef struct record_change {
  uint32_t op, line;
  size_t argument;
} record_change;

typedef struct record_body {
  size_t node;
  uint32_t text;
} record_body;

struct ten_recorder {
  ten_arena arena; /* of shapes */
  record_table strings, specs, results, keys, lines;
  TEN_VEC(ten_record_spec) spec_data; /* indexed by spec */
  TEN_VEC(uint32_t) inferred;         /* indexed by key */
  uint32_t keys_dropped;              /* keys dropped before the first of the table */
  TEN_VEC(uint32_t) dtype_names;      /* by dtype: a string, or TEN_RECORD_NO */
  TEN_VEC(record_op) ops;
  TEN_VEC(record_change) changing;        /* numbers that have changed, and are inputs since */
  TEN_VEC(ten_record_program *) programs; /* owned, in the order they were stored */
  uint64_t programs_made, last;           /* the number of the program that ran last, or 0 */
  /* the graph */
  uint64_t graph;
  record_nodes nodes;
  TEN_VEC(uint32_t) values; /* the spec of each value */
  TEN_VEC(uint32_t) inputs; /* values */
  TEN_VEC(bool) written;    /* indexed by value, as far as any is */
  TEN_VEC(double) scalars;
  TEN_VEC(record_body) bodies;
  size_t shared_from; /* scalars from here on are shared; SIZE_MAX: none */
  bool random;
  ten_record_program *guide; /* borrowed: the program that the graph has matched so far */
};

const uint64_t *record_row(const record_nodes *nodes, size_t node, size_t *out_count);
bool record_same_row(const record_nodes *a, const record_nodes *b, size_t node);
void record_nodes_free(record_nodes *nodes);
/* The program with this number, or NULL. */
ten_record_program *record_program(const ten_recorder *recorder, uint64_t number);
/* The program to follow for a graph that begins with this row, or NULL. */
ten_record_program *record_guide(const ten_recorder *recorder, const uint64_t *row, size_t count);
void record_program_free(ten_record_program *program);
/* The difference between the graph and the most similar stored program. */
void record_why(const ten_recorder *recorder, ten_buf *out);
/* Turns numbers into inputs of the graph if only they differ from a stored program; false: none. */
bool record_learn(ten_recorder *recorder);
/* A number in Python's notation. */
void record_number_text(ten_buf *out, double number);

#endif
