/* frozen.c: inputs that do not change between calls (weights) are compiled in as constants, so that they are packed
 * once.
 *
 * A frozen input is right for a call while it is the same memory, laid out the same way, with the same version counter
 * and the same bytes. The counter sees every write through the framework; the bytes see what goes past it (writes
 * through `.data` or a NumPy view). Where the system says which pages were written, only the pieces that those are part
 * of are read; elsewhere all bytes are, by all of the program's threads. Unless the caller chose samples: then
 * large inputs are judged by their first and last elements and some between. The memory of a frozen input is held for
 * as long as the executable lives.
 *
 * Executables of one program for several sizes may have the same frozen inputs: they share what is known of them.
 *
 * Some inputs are worth it only if they need not be read (matrices of f32: packing one takes little longer). They stay
 * arguments where the system does not say which of their pages were written. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "core.h"
#include "ir/builder.h"
#include "written.h"

enum { PIECE = 256 << 10 /* bytes */, TOGETHER = 2 * PIECE };
/* Bytes, of an input and of all: reading fewer is as quick as asking the system. */
enum { WATCHED = 8 << 10, WATCHED_ALL = 128 << 10, COPIED = 256 << 10 };
enum { ENDS = 16, BETWEEN = 32, SAMPLES = 2 * ENDS + BETWEEN, SMALL = 16 << 10 /* bytes */ };

typedef struct frozen_input {
  uint32_t index;
  ten_tensor *tensor; /* owned: what was compiled in */
  const char *data;   /* where the framework has it */
  uint32_t rank;
  bool whole; /* row-major */
  bool dense; /* one block of memory, whatever the order of its dimensions */
  bool if_watched;
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
  bool if_watched;  /* its input */
  const char *copy; /* NULL: `digest` is compared */
  uint64_t digest;
  atomic_uint_fast64_t looked; /* the number of written.h for which the bytes are known to be the same */
} piece;

struct core_frozen {
  atomic_uint references;
  uint64_t number; /* no other has it */
  ten_held *held;  /* owned: the memory of the inputs, by address */
  size_t count;
  frozen_input *inputs;
  TEN_VEC(piece) pieces;    /* of those that are looked at as a whole */
  written_watch *watch;     /* of the first pieces, or NULL */
  size_t watched;           /* how many */
  char *copies;             /* of the others, where they are few */
  atomic_size_t bytes_read; /* by the last call, to compare them */
};

void core_frozen_free(core_frozen *frozen) {
  if (!frozen || atomic_fetch_sub(&frozen->references, 1) > 1) return;
  written_close(frozen->watch);
  for (size_t i = 0; i < frozen->count; i++) ten_tensor_release(frozen->inputs[i].tensor);
  ten_vec_free(&frozen->pieces);
  free(frozen->copies);
  free(frozen->held);
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

/* Whole pages, and apart from them the ends: what else lies on those pages may be written all the time. */
static void add_pieces(core_frozen *frozen, const frozen_input *input) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const char *data = input->data, *end = data + input->tensor->bytes, *last = end - (uintptr_t)end % page;
  while (data < end) {
    const size_t off = (uintptr_t)data % page, most = (size_t)((data < last ? last : end) - data);
    const size_t wanted = off ? page - off : PIECE, bytes = wanted < most ? wanted : most;
    ten_vec_push(&frozen->pieces, ((piece){.data = data, .bytes = bytes, .if_watched = input->if_watched}));
    data += bytes;
  }
}

static size_t bytes_of(const core_frozen *frozen, size_t begin, size_t end) {
  size_t bytes = 0;
  for (size_t i = begin; i < end; i++) bytes += frozen->pieces.data[i].bytes;
  return bytes;
}

/* Pieces from `begin` on, kept as they are where that takes little: comparing them is quicker than a digest. */
static void copy_pieces(core_frozen *frozen, size_t begin) {
  const size_t bytes = bytes_of(frozen, begin, frozen->pieces.count);
  if (bytes > COPIED) return;
  char *to = frozen->copies = ten_alloc(bytes + 1);
  for (size_t i = begin; i < frozen->pieces.count; i++) {
    piece *p = &frozen->pieces.data[i];
    p->copy = memcpy(to, p->data, p->bytes);
    to += p->bytes;
  }
}

/* Watched before they are read: what is written meanwhile shows later. */
static bool watch_pieces(core_frozen *frozen) {
  TEN_RECOVER_AS("watching weights", false);
  for (int large = 1; large >= 0; large--) {
    for (size_t k = 0; k < frozen->count; k++) {
      const frozen_input *input = &frozen->inputs[k];
      if (judged_whole(input) && (input->tensor->bytes >= WATCHED) == large) add_pieces(frozen, input);
    }
    if (large) frozen->watched = frozen->pieces.count;
  }
  if (bytes_of(frozen, 0, frozen->watched) < WATCHED_ALL) frozen->watched = 0;
  const size_t count = frozen->watched;
  written_piece *asked = ten_alloc(count * sizeof *asked);
  uint64_t *numbers = ten_alloc(count * sizeof *numbers);
  for (size_t i = 0; i < count; i++)
    asked[i] = (written_piece){frozen->pieces.data[i].data, frozen->pieces.data[i].bytes};
  frozen->watch = written_open(asked, count);
  if (frozen->watch) written_look(frozen->watch, numbers);
  copy_pieces(frozen, count);
  for (size_t i = 0; i < frozen->pieces.count; i++) {
    piece *p = &frozen->pieces.data[i];
    if (i < count) p->looked = numbers[i];
    if (!p->copy) p->digest = digest(p->data, p->bytes);
  }
  free(asked);
  free(numbers);
  return true;
}

/* Whether those that are to be watched are, but for what is read in no time. */
static bool is_watched(const core_frozen *frozen) {
  size_t bytes = 0;
  for (size_t i = 0; i < frozen->pieces.count; i++) {
    const piece *p = &frozen->pieces.data[i];
    if (p->if_watched && !p->looked) bytes += p->bytes;
  }
  return bytes < WATCHED_ALL;
}

/* Those that cannot be watched are arguments. */
static bool watch(core_frozen *frozen) {
  if (!watch_pieces(frozen)) return false;
  if (is_watched(frozen)) return true;
  size_t kept = 0;
  for (size_t i = 0; i < frozen->count; i++) {
    if (frozen->inputs[i].if_watched)
      ten_tensor_release(frozen->inputs[i].tensor);
    else
      frozen->inputs[kept++] = frozen->inputs[i];
  }
  frozen->count = kept;
  written_close(frozen->watch);
  ten_vec_free(&frozen->pieces);
  free(frozen->copies);
  frozen->watch = NULL;
  frozen->copies = NULL;
  frozen->watched = 0;
  return watch_pieces(frozen);
}

typedef struct comparison {
  core_frozen *frozen;
  uint64_t *numbers; /* of the pieces, 0: not watched */
  size_t *pieces;    /* those to read */
  size_t *shares;    /* a thread's task: from here to the next, among those to read */
  atomic_bool differs;
} comparison;

static void compare_share(void *context, int64_t index, unsigned thread) {
  (void)thread;
  comparison *c = context;
  for (size_t i = c->shares[index];
       i < c->shares[index + 1] && !atomic_load_explicit(&c->differs, memory_order_relaxed); i++) {
    piece *p = &c->frozen->pieces.data[c->pieces[i]];
    if (p->copy ? !memcmp(p->copy, p->data, p->bytes) : digest(p->data, p->bytes) == p->digest)
      atomic_store_explicit(&p->looked, c->numbers[c->pieces[i]], memory_order_relaxed);
    else
      atomic_store(&c->differs, true);
  }
}

/* Reads what is not known to be the same. */
static bool same_bytes(core_frozen *frozen, ten_executable *executable) {
  TEN_RECOVER_AS("comparing weights", false); /* nobody knows: the program is made again */
  const size_t count = frozen->pieces.count;
  uint64_t *numbers = ten_alloc(count * sizeof *numbers);
  size_t *lists = ten_alloc((2 * count + 2) * sizeof *lists);
  comparison c = {.frozen = frozen, .numbers = numbers, .pieces = lists, .shares = lists + count};
  if (frozen->watch) written_look(frozen->watch, numbers);
  size_t read = 0, shares = 0, together = TOGETHER, total = 0;
  for (size_t i = 0; i < count; i++) {
    piece *p = &frozen->pieces.data[i];
    if (numbers[i] && numbers[i] == atomic_load_explicit(&p->looked, memory_order_relaxed)) continue;
    if (together >= TOGETHER) {
      c.shares[shares++] = read;
      together = 0;
    }
    together += p->bytes;
    total += p->bytes;
    c.pieces[read++] = i;
  }
  c.shares[shares] = read;
  ten_executable_share(executable, compare_share, &c, (int64_t)shares);
  atomic_store_explicit(&frozen->bytes_read, total, memory_order_relaxed);
  free(lists);
  free(numbers);
  return !c.differs;
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
static bool bind(ten_module *module, ten_op *func, const frozen_input *input) {
  TEN_RECOVER_AS("binding weights", false);
  ten_block *body = ten_op_body(func, 0);
  ten_value *arg = body->args[input->index];
  const ten_tensor *tensor = input->tensor;
  const ten_attr *data = ten_attr_dense_view(module, arg->type, tensor->data, tensor->bytes, false);
  ten_builder b = {.module = module, .block = body, .before = body->first, .loc = func->loc};
  ten_value_replace(arg, ten_build_constant(&b, data));
  return true;
}

static int freeze_one(const core_state *state, PyObject *object, bool sampled, const ten_op *func,
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
  input->whole = ten_dlpack_is_contiguous(&t);
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
  return 0;
}

static int by_address(const void *x, const void *y) {
  const char *a = ((const ten_held *)x)->data, *b = ((const ten_held *)y)->data;
  return (a > b) - (a < b);
}

/* Takes its number, and lists its memory. */
static bool hold(core_frozen *frozen) {
  static atomic_uint_fast64_t last;
  frozen->number = atomic_fetch_add(&last, 1) + 1;
  frozen->held = calloc(frozen->count + 1, sizeof *frozen->held);
  for (size_t i = 0; i < frozen->count && frozen->held; i++)
    frozen->held[i] = (ten_held){frozen->inputs[i].tensor->data, frozen->inputs[i].tensor->bytes};
  if (frozen->held) qsort(frozen->held, frozen->count, sizeof *frozen->held, by_address);
  return frozen->held;
}

static core_frozen *frozen_create(const core_state *state, PyObject *pairs, bool sampled, const ten_op *func) {
  const Py_ssize_t count = PyList_Check(pairs) ? PyList_Size(pairs) : -1;
  if (count < 0 || !state->exchange) {
    PyErr_Format(PyExc_TypeError,
                 "frozen inputs are a list of tuples (index, tensor of the framework[, only if it can be watched]), or "
                 "an executable that has some");
    return NULL;
  }
  core_frozen *frozen = calloc(1, sizeof *frozen);
  if (frozen) frozen->inputs = calloc((size_t)count + 1, sizeof *frozen->inputs);
  if (!frozen || !frozen->inputs) return free(frozen), PyErr_NoMemory(), NULL;
  frozen->references = 1;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *object;
    frozen_input *input = &frozen->inputs[i];
    int if_watched = 0;
    const bool read = PyArg_ParseTuple(PyList_GetItem(pairs, i), "IO|p", &input->index, &object, &if_watched);
    input->if_watched = if_watched && !sampled;
    if (!read || freeze_one(state, object, sampled, func, input)) {
      frozen->count = (size_t)i + 1;
      core_frozen_free(frozen);
      return NULL;
    }
  }
  frozen->count = (size_t)count;
  if (watch(frozen) && hold(frozen)) return frozen;
  core_frozen_free(frozen);
  PyErr_NoMemory();
  return NULL;
}

static int bind_all(const core_frozen *frozen, ten_module *module, ten_op *func, ten_settings *settings) {
  const ten_type *type = ten_func_type(func);
  bool bound = true;
  for (size_t i = 0; i < frozen->count && bound; i++) {
    const frozen_input *input = &frozen->inputs[i];
    if (input->index >= type->input_count || !ten_tensor_fits(input->tensor, type->inputs[input->index])) {
      PyErr_Format(PyExc_ValueError, "frozen input %u is of another program", input->index);
      return -1;
    }
    bound = !input->tensor->bytes || bind(module, func, input);
  }
  if (!bound) return PyErr_NoMemory(), -1;
  settings->held = frozen->held;
  settings->held_count = frozen->count;
  settings->held_as = frozen->number;
  return 0;
}

int core_freeze(const core_state *state, PyObject *given, bool sampled, ten_module *module, ten_op *func,
                ten_settings *settings, core_frozen **out) {
  *out = NULL;
  if (!given || given == Py_None) return 0;
  if (Py_TYPE(given) == state->executable) {
    *out = ((executable_object *)given)->frozen;
    if (!*out) return 0;
    atomic_fetch_add(&(*out)->references, 1);
  } else if (!(*out = frozen_create(state, given, sampled, func))) {
    return -1;
  }
  if (!bind_all(*out, module, func, settings)) return 0;
  core_frozen_free(*out);
  *out = NULL;
  return -1;
}

int core_frozen_take(const core_state *state, core_frozen *frozen, ten_executable *executable, PyObject *list,
                     ten_tensor **values) {
  for (size_t k = 0; k < frozen->count; k++) {
    const frozen_input *input = &frozen->inputs[k];
    PyObject *object = PyList_GetItem(list, (Py_ssize_t)input->index);
    dl_tensor t;
    if (!object || state->exchange->look(object, &t)) return -1;
    if ((const char *)t.data + t.byte_offset != input->data || t.rank != (int32_t)input->rank ||
        ten_dlpack_to_dtype(t.dtype) != input->tensor->dtype)
      return 0;
    for (int32_t i = 0; i < t.rank; i++)
      if (t.shape[i] != input->tensor->dims[i]) return 0;
    if (input->whole) {
      if (!ten_dlpack_is_contiguous(&t)) return 0;
    } else {
      int64_t strides[TEN_RANK_MAX];
      strides_of(&t, strides);
      if (memcmp(strides, input->strides, input->rank * sizeof *strides)) return 0;
    }
    if (version_of(object) != input->version || (!judged_whole(input) && sample(input) != input->samples)) return 0;
    values[input->index] = ten_tensor_retain(input->tensor);
  }
  bool same;
  Py_BEGIN_ALLOW_THREADS same = same_bytes(frozen, executable);
  Py_END_ALLOW_THREADS return same;
}

PyObject *core_frozen_checks(const core_frozen *frozen) {
  size_t watched = 0, read = 0;
  for (size_t i = 0; frozen && frozen->watch && i < frozen->watched; i++)
    if (frozen->pieces.data[i].looked) watched += frozen->pieces.data[i].bytes;
  if (frozen) read = frozen->bytes_read;
  return Py_BuildValue("(nn)", (Py_ssize_t)watched, (Py_ssize_t)read);
}
