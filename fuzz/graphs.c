/* graphs.c: see graphs.h. A graph is one to four operators over a few inputs. Most arguments are likely ones (a tensor
 * of the shape the others have, a dimension that is there), so that a lowering is not left at its first check; every
 * choice has a share of unlikely ones. */
#include "graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "front/aten/aten.h"

/* ---- schemas ---- */
static char *field_end(char *at) {
  while (*at && *at != '\t' && *at != '\n') at++;
  return at;
}

/* One line; false: nothing that a graph could hold. */
static bool line_read(char *line, fuzz_schema *out) {
  bool results = false, first = true;
  *out = (fuzz_schema){0};
  for (char *at = line, *end; *at; at = end) {
    end = field_end(at);
    if (*end) *end++ = 0;
    char *colon = strchr(at, ':');
    if (first) {
      out->name = at;
    } else if (!strcmp(at, "->")) {
      results = true;
    } else if (results) {
      if (out->result_count < FUZZ_RESULTS_MAX) out->results[out->result_count++] = at;
    } else {
      if (!colon || out->argument_count == FUZZ_ARGUMENTS_MAX) return false;
      *colon = 0;
      out->arguments[out->argument_count++] = (fuzz_argument){at, colon + 1};
    }
    first = false;
  }
  return out->name != NULL;
}

bool fuzz_schemas_load(const char *path, fuzz_schemas *out) {
  *out = (fuzz_schemas){0};
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  fseek(file, 0, SEEK_END);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  out->text = calloc(size + 1, 1);
  const bool whole = fread(out->text, 1, size, file) == size;
  fclose(file);
  size_t capacity = 0;
  for (char *line = out->text, *next; whole && *line; line = next) {
    next = strchr(line, '\n');
    next = next ? (*next = 0, next + 1) : line + strlen(line);
    if (out->count == capacity) {
      capacity = capacity ? capacity * 2 : 4096;
      out->items = realloc(out->items, capacity * sizeof *out->items);
    }
    fuzz_schema *made = &out->items[out->count];
    if (line_read(line, made) && ten_aten_knows(ten_str_of(made->name))) out->count++;
  }
  return whole;
}

/* ---- decisions ---- */
typedef struct choices {
  const uint8_t *data;
  size_t size, at;
  uint64_t state; /* goes on where the bytes end */
} choices;

static uint32_t choose(choices *c, uint32_t below) {
  uint32_t bits;
  if (c->at < c->size) {
    bits = c->data[c->at++];
    if (below > 256) bits |= (uint32_t)(c->at < c->size ? c->data[c->at++] : 0) << 8;
  } else {
    c->state = c->state * 6364136223846793005U + 1442695040888963407U;
    bits = (uint32_t)(c->state >> 33);
  }
  return bits % below;
}

static bool percent(choices *c, uint32_t share) { return choose(c, 100) < share; }

/* ---- a graph ---- */
enum { TENSORS_MAX = 64, RANK_MAX = 20, DEPTH_MAX = 2 };

typedef struct made_tensor {
  char name[16];
  uint32_t rank;
  int64_t dims[RANK_MAX];
} made_tensor;

typedef struct graph {
  const fuzz_schemas *schemas;
  choices *c;
  uint32_t depth, *next; /* of names */
  made_tensor tensors[TENSORS_MAX];
  uint32_t tensor_count, base_rank;
  int64_t base[RANK_MAX];
  int base_dtype;
  ten_buf inputs, nodes, values; /* of the JSON */
  bool numbers;                  /* there is a number "n0" */
} graph;

static int64_t size_choose(choices *c) {
  static const int64_t likely[] = {2, 3, 4, 1, 2, 5, 3, 6},
                       unlikely[] = {0, 1, 7, 8, 16, 64, 1 << 20, 1LL << 31, 1LL << 40, 1LL << 62};
  return percent(c, 88) ? likely[choose(c, 8)] : unlikely[choose(c, 10)];
}

static int dtype_choose(choices *c) {
  static const int likely[] = {7, 7, 7, 5, 8, 12, 10, 6},
                   all[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 28, 29, 30, 34, 35, 0, 99};
  return percent(c, 85) ? likely[choose(c, 8)] : all[choose(c, sizeof all / sizeof *all)];
}

static uint32_t rank_choose(choices *c) {
  static const uint32_t unlikely[] = {0, 6, 7, 8, 12, 15, 16, 17, 19};
  return percent(c, 85) ? choose(c, 6) : unlikely[choose(c, 9)];
}

static void base_choose(graph *g) {
  g->base_rank = rank_choose(g->c);
  for (uint32_t i = 0; i < g->base_rank; i++) g->base[i] = size_choose(g->c);
  g->base_dtype = dtype_choose(g->c);
}

/* A description: strides too, as they would be, or others. Sizes may be symbols. */
static void meta_write(graph *g, const char *name, int dtype, uint32_t rank, const int64_t *dims, bool symbols) {
  ten_buf *out = &g->values;
  ten_buf_printf(out, "%s\"%s\":{\"dtype\":%d,\"layout\":7,\"storage_offset\":{\"as_int\":%u},\"sizes\":[",
                 out->size ? "," : "", name, dtype, percent(g->c, 4) ? choose(g->c, 9) : 0);
  for (uint32_t i = 0; i < rank; i++) {
    if (symbols)
      ten_buf_printf(out, "%s{\"as_expr\":{\"expr_str\":\"Symbol('s%u')\",\"hint\":{\"as_int\":%" PRId64 "}}}",
                     i ? "," : "", i, dims[i]);
    else
      ten_buf_printf(out, "%s{\"as_int\":%" PRId64 "}", i ? "," : "", dims[i]);
  }
  ten_buf_adds(out, "],\"strides\":[");
  const bool odd = percent(g->c, 6);
  for (uint32_t i = 0; i < rank; i++) {
    int64_t stride = 1;
    for (uint32_t k = i + 1; k < rank; k++)
      if (__builtin_mul_overflow(stride, dims[k] ? dims[k] : 1, &stride)) stride = INT64_MAX;
    ten_buf_printf(out, "%s{\"as_int\":%" PRId64 "}", i ? "," : "", odd ? size_choose(g->c) : stride);
  }
  ten_buf_adds(out, "]}");
}

static made_tensor *tensor_add(graph *g, const char *kind) {
  if (g->tensor_count == TENSORS_MAX) g->tensor_count = 1;
  made_tensor *made = &g->tensors[g->tensor_count++];
  *made = (made_tensor){0};
  snprintf(made->name, sizeof made->name, "%s%u", kind, (*g->next)++);
  return made;
}

/* The shape of most tensors of this graph, or one that differs from it a little, or another. */
static void shape_choose(graph *g, made_tensor *made) {
  made->rank = g->base_rank;
  memcpy(made->dims, g->base, sizeof made->dims);
  if (percent(g->c, 70)) return;
  const uint32_t way = choose(g->c, 5);
  if (way == 0 && made->rank) {
    made->dims[choose(g->c, made->rank)] = size_choose(g->c);
  } else if (way == 1 && made->rank) {
    made->rank--;
    memmove(made->dims, made->dims + 1, made->rank * sizeof *made->dims);
  } else if (way == 2 && made->rank > 1) {
    made->rank = 1;
    made->dims[0] = g->base[choose(g->c, g->base_rank)];
  } else if (way == 3) {
    made->rank = 0;
  } else {
    made->rank = rank_choose(g->c);
    for (uint32_t i = 0; i < made->rank; i++) made->dims[i] = size_choose(g->c);
  }
}

static const made_tensor *input_add(graph *g) {
  made_tensor *made = tensor_add(g, "x");
  shape_choose(g, made);
  meta_write(g, made->name, percent(g->c, 75) ? g->base_dtype : dtype_choose(g->c), made->rank, made->dims,
             percent(g->c, 3));
  ten_buf_printf(&g->inputs, "%s{\"as_tensor\":{\"name\":\"%s\"}}", g->inputs.size ? "," : "", made->name);
  return made;
}

/* A tensor that constants alone make: where its numbers are sizes or places they are looked at. */
static const made_tensor *constant_add(graph *g) {
  made_tensor *made = tensor_add(g, "k");
  made->rank = choose(g->c, 3);
  ten_buf_printf(&g->nodes,
                 "%s{\"target\":\"torch.ops.aten.full.default\",\"inputs\":[{\"name\":\"size\",\"arg\":{\"as_ints\":[",
                 g->nodes.size ? "," : "");
  for (uint32_t i = 0; i < made->rank; i++) {
    made->dims[i] = choose(g->c, 4);
    ten_buf_printf(&g->nodes, "%s%" PRId64, i ? "," : "", made->dims[i]);
  }
  ten_buf_printf(
      &g->nodes,
      "]}},{\"name\":\"fill_value\",\"arg\":{\"as_int\":%d}},{\"name\":\"dtype\",\"arg\":{\"as_scalar_type\":%d}}],"
      "\"outputs\":[{\"as_tensor\":{\"name\":\"%s\"}}]}",
      (int)choose(g->c, 7) - 2, percent(g->c, 80) ? 5 : 12, made->name);
  return made;
}

static const made_tensor *tensor_choose(graph *g) {
  if (g->tensor_count && percent(g->c, 50)) return &g->tensors[choose(g->c, g->tensor_count)];
  return percent(g->c, 12) && !g->depth ? constant_add(g) : input_add(g);
}

/* ---- arguments ---- */
static int64_t int_choose(graph *g) {
  static const int64_t extreme[] = {INT64_MAX,
                                    INT64_MIN,
                                    INT64_MAX - 1,
                                    INT64_MIN + 1,
                                    1LL << 62,
                                    -(1LL << 62),
                                    1LL << 40,
                                    -(1LL << 40),
                                    1LL << 31,
                                    -(1LL << 31),
                                    4294967295,
                                    65536,
                                    1000,
                                    -1000,
                                    63,
                                    64,
                                    65,
                                    17,
                                    16,
                                    15};
  if (percent(g->c, 90)) return (int64_t)choose(g->c, 9) - 2;
  return extreme[choose(g->c, sizeof extreme / sizeof *extreme)];
}

static int64_t dim_choose(graph *g, uint32_t rank) {
  if (percent(g->c, 6)) return int_choose(g);
  const int64_t reach = rank ? rank : 1;
  if (percent(g->c, 10)) return percent(g->c, 50) ? reach : -reach - 1;
  return (int64_t)choose(g->c, (uint32_t)(2 * reach)) - reach;
}

static bool is_dim(const char *name) { return strstr(name, "dim") || strstr(name, "axis") || !strcmp(name, "sumdim"); }

static void ints_write(graph *g, ten_buf *out, const char *name, uint32_t rank) {
  static const uint32_t odd[] = {0, 6, 8, 10, 16, 17, 33, 40};
  uint32_t count = percent(g->c, 55) ? rank : percent(g->c, 85) ? choose(g->c, 5) : odd[choose(g->c, 8)];
  if ((strstr(name, "stride") || strstr(name, "pad") || strstr(name, "kernel") || strstr(name, "dilation")) &&
      percent(g->c, 60))
    count = rank > 2 ? rank - 2 : 1;
  if (!strcmp(name, "pad") && percent(g->c, 60)) count = 2 * choose(g->c, rank + 1);
  ten_buf_adds(out, "{\"as_ints\":[");
  for (uint32_t i = 0; i < count; i++) {
    int64_t value = is_dim(name) ? dim_choose(g, rank) : percent(g->c, 25) ? size_choose(g->c) : int_choose(g);
    if (strstr(name, "size") && i < rank && percent(g->c, 60)) value = g->base[i % RANK_MAX];
    ten_buf_printf(out, "%s%" PRId64, i ? "," : "", value);
  }
  ten_buf_adds(out, "]}");
}

static void tensors_write(graph *g, ten_buf *out, bool nones) {
  const uint32_t count = percent(g->c, 90) ? choose(g->c, 5) : choose(g->c, 20);
  ten_buf item = {0};
  for (uint32_t i = 0; i < count; i++) {
    if (percent(g->c, nones ? 30 : 3)) {
      ten_buf_printf(&item, "%s{\"as_none\":true}", i ? "," : "");
      nones = true;
      continue;
    }
    ten_buf_printf(&item, "%s{\"as_tensor\":{\"name\":\"%s\"}}", i ? "," : "", tensor_choose(g)->name);
  }
  ten_buf_printf(out, "{\"as_optional_tensors\":[%s]}", item.data ? item.data : "");
  ten_buf_free(&item);
}

static void graph_make(graph *g, uint32_t op_count);
static void graph_finish(graph *g, ten_buf *out);

static void subgraph_write(graph *g, ten_buf *out) {
  if (g->depth >= DEPTH_MAX) {
    ten_buf_adds(out, "{\"as_none\":true}");
    return;
  }
  graph *inner = calloc(1, sizeof *inner);
  inner->schemas = g->schemas, inner->c = g->c, inner->depth = g->depth + 1, inner->next = g->next;
  inner->base_rank = g->base_rank, inner->base_dtype = g->base_dtype;
  memcpy(inner->base, g->base, sizeof g->base);
  const uint32_t inputs = choose(g->c, 4);
  for (uint32_t i = 0; i < inputs; i++) input_add(inner);
  graph_make(inner, choose(g->c, 3));
  ten_buf_adds(out, "{\"as_graph\":{\"name\":\"g\",\"graph\":");
  graph_finish(inner, out);
  ten_buf_adds(out, "}}");
  free(inner);
}

static void string_write(graph *g, ten_buf *out, const char *name) {
  static const char *const words[] = {"",     "reflect", "replicate", "circular", "constant", "valid",    "same",
                                      "tanh", "none",    "floor",     "trunc",    "ij",       "xy",       "sum",
                                      "mean", "prod",    "amax",      "amin",     "backward", "ortho",    "forward",
                                      "fro",  "nuc",     "left",      "right",    "linear",   "midpoint", "cuda"};
  static const char *const equations[] = {"ij,jk->ik",
                                          "...ij,...jk->...ik",
                                          "ii->i",
                                          "ij->ji",
                                          "i,j->ij",
                                          "ij,ij",
                                          "i,",
                                          "->",
                                          "...",
                                          "aab,b->a",
                                          "abcdefghijklmnopqrstuvwxyz",
                                          "a...b->...",
                                          "ab,bc,cd->ad",
                                          "i..j",
                                          "A->A,",
                                          "ij->k",
                                          ",,,->"};
  const char *word = words[choose(g->c, sizeof words / sizeof *words)];
  if (!strcmp(name, "equation")) word = equations[choose(g->c, sizeof equations / sizeof *equations)];
  ten_buf_printf(out, "{\"as_string\":\"%s\"}", word);
}

static void number_write(graph *g, ten_buf *out, const char *name, uint32_t rank, bool floats) {
  static const char *const reals[] = {"0.5",    "1.0",  "-1.0",   "0.0",          "2.0",           "3.5",     "1e300",
                                      "-1e300", "1e18", "1e-300", "\"Infinity\"", "\"-Infinity\"", "\"NaN\"", "0.1"};
  if (g->numbers && percent(g->c, 5))
    ten_buf_adds(out, "{\"as_sym_int\":{\"as_name\":\"n0\"}}");
  else if (floats && percent(g->c, 60))
    ten_buf_printf(out, "{\"as_float\":%s}", reals[choose(g->c, sizeof reals / sizeof *reals)]);
  else if (strstr(name, "dtype") && percent(g->c, 97))
    ten_buf_printf(out, "{\"as_scalar_type\":%d}", dtype_choose(g->c));
  else if (!strcmp(name, "memory_format"))
    ten_buf_printf(out, "{\"as_memory_format\":%u}", choose(g->c, 5));
  else if (!strcmp(name, "layout"))
    ten_buf_adds(out, "{\"as_layout\":7}");
  else
    ten_buf_printf(out, "{\"as_int\":%" PRId64 "}", is_dim(name) ? dim_choose(g, rank) : int_choose(g));
}

static void argument_write(graph *g, ten_buf *out, const fuzz_argument *argument, uint32_t *rank) {
  char type[32];
  snprintf(type, sizeof type, "%s", argument->type);
  const size_t size = strlen(type);
  const bool optional = size && type[size - 1] == '?';
  if (optional) type[size - 1] = 0;
  if (percent(g->c, optional ? 35 : 2)) {
    ten_buf_adds(out, "{\"as_none\":true}");
    return;
  }
  if (percent(g->c, 2)) snprintf(type, sizeof type, "%s", percent(g->c, 50) ? "Tensor" : "int"); /* the wrong kind */
  if (!strcmp(type, "Tensor")) {
    const made_tensor *chosen = tensor_choose(g);
    if (*rank == UINT32_MAX) *rank = chosen->rank;
    ten_buf_printf(out, "{\"as_tensor\":{\"name\":\"%s\"}}", chosen->name);
  } else if (!strcmp(type, "Tensor[]") || !strcmp(type, "Tensor?[]")) {
    tensors_write(g, out, strchr(type, '?'));
  } else if (!strcmp(type, "int[]")) {
    ints_write(g, out, argument->name, *rank == UINT32_MAX ? g->base_rank : *rank);
  } else if (!strcmp(type, "bool[]")) {
    ten_buf_adds(out, "{\"as_bools\":[");
    for (uint32_t i = 0, count = choose(g->c, 5); i < count; i++)
      ten_buf_printf(out, "%s%s", i ? "," : "", percent(g->c, 50) ? "true" : "false");
    ten_buf_adds(out, "]}");
  } else if (!strcmp(type, "float[]") || !strcmp(type, "number[]")) {
    ten_buf_adds(out, "{\"as_floats\":[");
    for (uint32_t i = 0, count = choose(g->c, 5); i < count; i++)
      ten_buf_printf(out, "%s%g", i ? "," : "", (double)int_choose(g));
    ten_buf_adds(out, "]}");
  } else if (!strcmp(type, "bool")) {
    ten_buf_printf(out, "{\"as_bool\":%s}", percent(g->c, 50) ? "true" : "false");
  } else if (!strcmp(type, "str")) {
    string_write(g, out, argument->name);
  } else if (!strcmp(type, "Graph")) {
    subgraph_write(g, out);
  } else if (!strcmp(type, "ScalarType")) {
    ten_buf_printf(out, "{\"as_scalar_type\":%d}", dtype_choose(g->c));
  } else if (!strcmp(type, "Device")) {
    ten_buf_adds(out, "{\"as_device\":{\"type\":\"cpu\"}}");
  } else {
    number_write(g, out, argument->name, *rank == UINT32_MAX ? g->base_rank : *rank,
                 !strcmp(type, "float") || !strcmp(type, "number"));
  }
}

/* ---- results ---- */
static void result_write(graph *g, ten_buf *out) {
  made_tensor *made = tensor_add(g, "y");
  shape_choose(g, made);
  const bool known = percent(g->c, 80); /* what is not described may be anything */
  if (known)
    meta_write(g, made->name, percent(g->c, 75) ? g->base_dtype : dtype_choose(g->c), made->rank, made->dims,
               percent(g->c, 40));
  ten_buf_printf(out, "{\"name\":\"%s\"}", made->name);
}

static void results_write(graph *g, ten_buf *out, const fuzz_schema *schema) {
  uint32_t count = schema->result_count;
  if (percent(g->c, 3)) count = choose(g->c, 12);
  for (uint32_t i = 0; i < count; i++) {
    const char *type = i < schema->result_count ? schema->results[i] : "Tensor";
    if (i) ten_buf_adds(out, ",");
    if (!strcmp(type, "Tensor[]")) {
      ten_buf_adds(out, "{\"as_tensors\":[");
      for (uint32_t k = 0, parts = choose(g->c, 12); k < parts; k++) {
        if (k) ten_buf_adds(out, ",");
        result_write(g, out);
      }
      ten_buf_adds(out, "]}");
    } else if (!strcmp(type, "int") || !strcmp(type, "number")) {
      ten_buf_printf(out, "{\"as_sym_int\":{\"as_name\":\"n%u\"}}", g->numbers ? (*g->next)++ : 0);
      g->numbers = true;
    } else {
      ten_buf_adds(out, "{\"as_tensor\":");
      result_write(g, out);
      ten_buf_adds(out, "}");
    }
  }
}

static void op_make(graph *g) {
  const fuzz_schema *schema = &g->schemas->items[choose(g->c, (uint32_t)g->schemas->count)];
  ten_buf node = {0};
  uint32_t rank = UINT32_MAX;
  const bool torch_op =
      !strncmp(schema->name, "aten.", 5) || !strncmp(schema->name, "prims.", 6) || !strncmp(schema->name, "higher", 6);
  ten_buf_printf(&node, "{\"target\":\"%s%s\",\"inputs\":[", torch_op ? "torch.ops." : "", schema->name);
  bool any = false;
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    if (i && percent(g->c, 6)) continue; /* the default */
    ten_buf_printf(&node, "%s{\"name\":\"%s\",\"arg\":", any ? "," : "", schema->arguments[i].name);
    argument_write(g, &node, &schema->arguments[i], &rank);
    ten_buf_adds(&node, "}");
    any = true;
  }
  ten_buf_adds(&node, "],\"outputs\":[");
  results_write(g, &node, schema);
  ten_buf_adds(&node, "]}");
  ten_buf_printf(&g->nodes, "%s%s", g->nodes.size ? "," : "", node.data);
  ten_buf_free(&node);
}

static void graph_make(graph *g, uint32_t op_count) {
  for (uint32_t i = 0; i < op_count; i++) op_make(g);
}

/* The last tensors are what is returned. */
static void graph_finish(graph *g, ten_buf *out) {
  if (!g->tensor_count) input_add(g);
  ten_buf_printf(out, "{\"inputs\":[%s],\"nodes\":[%s],\"tensor_values\":{%s},\"outputs\":[",
                 g->inputs.data ? g->inputs.data : "", g->nodes.data ? g->nodes.data : "",
                 g->values.data ? g->values.data : "");
  const uint32_t count = 1 + choose(g->c, 3);
  for (uint32_t i = 0; i < count && i < g->tensor_count; i++)
    ten_buf_printf(out, "%s{\"as_tensor\":{\"name\":\"%s\"}}", i ? "," : "", g->tensors[g->tensor_count - 1 - i].name);
  ten_buf_adds(out, "]}");
  ten_buf_free(&g->inputs);
  ten_buf_free(&g->nodes);
  ten_buf_free(&g->values);
}

void fuzz_graph_write(ten_buf *out, const fuzz_schemas *schemas, const uint8_t *data, size_t size) {
  choices c = {.data = data, .size = size, .state = 0x9E3779B97F4A7C15U};
  for (size_t i = 0; i < size; i++) c.state = (c.state ^ data[i]) * 0x100000001B3U;
  uint32_t next = 1;
  graph *g = calloc(1, sizeof *g);
  g->schemas = schemas, g->c = &c, g->next = &next;
  base_choose(g);
  graph_make(g, percent(&c, 70) ? 1 : 1 + choose(&c, 4));
  graph_finish(g, out);
  free(g);
}
