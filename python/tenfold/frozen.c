/* frozen.c: inputs that hold still between calls (weights) are compiled in as constants, so that they are packed once.
 *
 * A frozen input is right for a call while it is the same memory, laid out the same way, with the same version counter
 * and the same bytes. The counter sees every write through the framework; the bytes see what goes past it (writes
 * through `.data` or a NumPy view). All of them are looked at, by all of the program's threads, unless the caller asked
 * for samples: then large ones are judged by their first and last elements and some between. The memory of a frozen
 * input is held for as long as the executable lives. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core.h"
#include "cpu/stages.h"
#include "ir/builder.h"

enum { PIECE = 256 << 10 /* bytes */, TOGETHER = 2 * PIECE };
enum { ENDS = 16, BETWEEN = 32, SAMPLES = 2 * ENDS + BETWEEN, SMALL = 16 << 10 /* bytes */ };

typedef struct frozen_input {
  uint32_t index;
  ten_tensor *tensor; /* owned: what was compiled in */
  const char *data;   /* where the framework has it */
  uint32_t rank;
  bool whole; /* row-major */
  bool dense; /* one block of memory, whatever the order of its dimensions */
  int64_t strides[TEN_RANK_MAX];
  size_t item;
  int64_t version;
  uint64_t samples; /* where it is judged by them */
  uint32_t place_count;
  uint64_t places[SAMPLES]; /* bytes from `data` */
} frozen_input;

/* Some of the bytes of an input. */
typedef struct piece {
  const char *data;
  size_t bytes;
  uint64_t digest;
} piece;

struct core_frozen {
  size_t count;
  frozen_input *inputs;
  TEN_VEC(piece) pieces;  /* of those that are looked at as a whole */
  TEN_VEC(size_t) shares; /* a thread's task: pieces from here to the next */
};

void core_frozen_free(core_frozen *frozen) {
  if (!frozen) return;
  for (size_t i = 0; i < frozen->count; i++) ten_tensor_release(frozen->inputs[i].tensor);
  ten_vec_free(&frozen->pieces);
  ten_vec_free(&frozen->shares);
  free(frozen->inputs);
  free(frozen);
}

/* -1 and no exception when the object counts no versions. */
static int64_t version_of(PyObject *object) {
  PyObject *number = PyObject_GetAttrString(object, "_version");
  const int64_t version = number ? PyLong_AsLongLong(number) : -1;
  Py_XDECREF(number);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return -1;
  }
  return version;
}

static void strides_of(const dl_tensor *t, int64_t *strides) {
  int64_t size = 1;
  for (int32_t i = t->rank; i-- > 0;) {
    strides[i] = t->strides ? t->strides[i] : size;
    size *= t->shape[i];
  }
}

static void choose_places(frozen_input *input, const dl_tensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->rank; i++) count *= t->shape[i];
  for (int64_t k = 0; k < SAMPLES && k < count; k++) {
    int64_t at = k;
    if (count > SAMPLES && k >= ENDS)
      at = k < ENDS + BETWEEN ? (int64_t)((double)count * (double)(k - ENDS + 1) / (BETWEEN + 1)) : count - SAMPLES + k;
    int64_t place = 0;
    for (int32_t i = t->rank; i-- > 0;) {
      place += at % t->shape[i] * input->strides[i];
      at /= t->shape[i];
    }
    input->places[input->place_count++] = (uint64_t)place * input->item;
  }
}

/* As fast as memory is read, where XXH3 takes twice as long: 32 lanes, each a chain in which every step turns what came
 * before and the next number into another number one to one. One number that changes is always seen; several that stand
 * in one lane go unseen once in 2^32 times. */
static uint64_t digest(const char *data, size_t bytes) {
  typedef uint32_t vector __attribute__((vector_size(16), aligned(4), may_alias));
  enum { VECTORS = 8, BLOCK = VECTORS * sizeof(vector), TURN = 15 };
  const vector odd = {0x9e3779b1u, 0x9e3779b1u, 0x9e3779b1u, 0x9e3779b1u};
  vector lanes[VECTORS];
  for (uint32_t i = 0; i < VECTORS; i++) lanes[i] = (vector){4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
  const size_t whole = bytes / BLOCK * BLOCK;
  for (size_t at = 0; at < whole; at += BLOCK)
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
      const vector x = (lanes[i] ^ *(const vector *)(data + at + (size_t)i * sizeof(vector))) * odd;
      lanes[i] = x << TURN | x >> (32 - TURN);
    }
  return ten_hash64(lanes, sizeof lanes, ten_hash64(data + whole, bytes - whole, bytes));
}

static bool judged_whole(const frozen_input *input) {
  return input->dense && (!input->place_count || input->tensor->bytes <= SMALL);
}

static uint64_t sample(const frozen_input *input) {
  char bytes[SAMPLES * 16];
  size_t size = 0;
  for (uint32_t i = 0; i < input->place_count; i++, size += input->item)
    memcpy(bytes + size, input->data + input->places[i], input->item);
  return ten_hash64(bytes, size, 0);
}

static void add_pieces(core_frozen *frozen) {
  size_t together = TOGETHER;
  for (size_t k = 0; k < frozen->count; k++) {
    const frozen_input *input = &frozen->inputs[k];
    for (size_t at = 0; judged_whole(input) && at < input->tensor->bytes; at += PIECE) {
      const size_t rest = input->tensor->bytes - at, bytes = rest < PIECE ? rest : PIECE;
      if (together >= TOGETHER) {
        ten_vec_push(&frozen->shares, frozen->pieces.count);
        together = 0;
      }
      together += bytes;
      ten_vec_push(&frozen->pieces, ((piece){input->data + at, bytes, digest(input->data + at, bytes)}));
    }
  }
}

typedef struct comparison {
  const core_frozen *frozen;
  atomic_bool differs;
} comparison;

static void compare_share(void *context, int64_t index, unsigned thread) {
  (void)thread;
  comparison *c = context;
  const core_frozen *frozen = c->frozen;
  const size_t share = (size_t)index,
               end = share + 1 < frozen->shares.count ? frozen->shares.data[share + 1] : frozen->pieces.count;
  for (size_t i = frozen->shares.data[share]; i < end && !atomic_load_explicit(&c->differs, memory_order_relaxed);
       i++) {
    const piece *p = &frozen->pieces.data[i];
    if (digest(p->data, p->bytes) != p->digest) atomic_store(&c->differs, true);
  }
}

/* Strides of some order of the dimensions, without gaps. */
static bool is_dense(const dl_tensor *t, const int64_t *strides) {
  bool done[TEN_RANK_MAX] = {false};
  int64_t size = 1;
  for (int32_t step = 0; step < t->rank; step++) {
    int32_t next = -1;
    for (int32_t i = 0; i < t->rank; i++)
      if (!done[i] && (t->shape[i] == 1 || strides[i] == size)) next = i;
    if (next < 0) return false;
    done[next] = true;
    size *= t->shape[next];
  }
  return true;
}

/* The argument stays, unread: places of the others are what they were. */
static void bind(ten_module *module, ten_op *func, const frozen_input *input) {
  ten_block *body = ten_op_body(func, 0);
  ten_value *arg = body->args[input->index];
  const ten_tensor *tensor = input->tensor;
  const ten_attr *data = ten_attr_dense_view(module, arg->type, tensor->data, tensor->bytes, false);
  ten_builder b = {.module = module, .block = body, .before = body->first, .loc = func->loc};
  ten_value_replace(arg, ten_build_constant(&b, data));
}

static int freeze_one(const core_state *state, PyObject *object, bool sampled, ten_module *module, ten_op *func,
                      frozen_input *input) {
  const ten_type *type = ten_func_type(func);
  dl_tensor t;
  if (input->index >= type->input_count) {
    PyErr_Format(PyExc_ValueError, "there is no input %u", input->index);
    return -1;
  }
  if (state->exchange->look(object, &t)) return -1;
  input->tensor = core_tensor_from(state, object);
  if (!input->tensor) return -1;
  if (!ten_tensor_fits(input->tensor, type->inputs[input->index])) {
    PyErr_Format(PyExc_ValueError, "input %u does not fit the program", input->index);
    return -1;
  }
  input->data = (const char *)t.data + t.byte_offset;
  input->rank = (uint32_t)t.rank;
  input->whole = core_dl_contiguous(&t);
  input->item = ten_dtype_bytes(input->tensor->dtype);
  strides_of(&t, input->strides);
  input->version = version_of(object);
  input->dense = is_dense(&t, input->strides);
  if (!input->dense && !sampled) {
    PyErr_Format(PyExc_ValueError, "input %u has gaps in its memory", input->index);
    return -1;
  }
  if (sampled) choose_places(input, &t);
  if (!judged_whole(input)) input->samples = sample(input);
  if (input->tensor->bytes) bind(module, func, input);
  return 0;
}

int core_freeze(const core_state *state, PyObject *pairs, bool sampled, ten_module *module, ten_op *func,
                core_frozen **out) {
  *out = NULL;
  if (!pairs || pairs == Py_None) return 0;
  const Py_ssize_t count = PyList_Check(pairs) ? PyList_Size(pairs) : -1;
  if (count < 0 || !state->exchange) {
    PyErr_Format(PyExc_TypeError, "frozen inputs are a list of pairs (index, tensor of the framework)");
    return -1;
  }
  core_frozen *frozen = calloc(1, sizeof *frozen);
  if (frozen) frozen->inputs = calloc((size_t)count + 1, sizeof *frozen->inputs);
  if (!frozen || !frozen->inputs) return free(frozen), PyErr_NoMemory(), -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *object;
    frozen_input *input = &frozen->inputs[i];
    if (!PyArg_ParseTuple(PyList_GetItem(pairs, i), "IO", &input->index, &object) ||
        freeze_one(state, object, sampled, module, func, input)) {
      frozen->count = (size_t)i + 1;
      core_frozen_free(frozen);
      return -1;
    }
  }
  frozen->count = (size_t)count;
  add_pieces(frozen);
  *out = frozen;
  return 0;
}

int core_frozen_take(const core_state *state, const core_frozen *frozen, ten_executable *executable, PyObject *list,
                     ten_tensor **values) {
  for (size_t k = 0; k < frozen->count; k++) {
    const frozen_input *input = &frozen->inputs[k];
    PyObject *object = PyList_GetItem(list, (Py_ssize_t)input->index);
    dl_tensor t;
    if (!object || state->exchange->look(object, &t)) return -1;
    if ((const char *)t.data + t.byte_offset != input->data || t.rank != (int32_t)input->rank ||
        core_dtype_of(t.dtype) != input->tensor->dtype)
      return 0;
    for (int32_t i = 0; i < t.rank; i++)
      if (t.shape[i] != input->tensor->dims[i]) return 0;
    if (input->whole) {
      if (!core_dl_contiguous(&t)) return 0;
    } else {
      int64_t strides[TEN_RANK_MAX];
      strides_of(&t, strides);
      if (memcmp(strides, input->strides, input->rank * sizeof *strides)) return 0;
    }
    if (version_of(object) != input->version || (!judged_whole(input) && sample(input) != input->samples)) return 0;
    values[input->index] = ten_tensor_retain(input->tensor);
  }
  comparison c = {.frozen = frozen};
  Py_BEGIN_ALLOW_THREADS ten_cpu_share(executable, compare_share, &c, (int64_t)frozen->shares.count);
  Py_END_ALLOW_THREADS return !c.differs;
}
