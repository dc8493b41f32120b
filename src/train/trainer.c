/* trainer.c: state in, state out. The step returns its first arguments as its first results: one step is one call. */
#include "train/trainer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mapped.h"
#include "base/pages.h"
#include "base/thread.h"
#include "driver/devices.h"
#include "ir/ten.h"
#include "train/safetensors.h"
#include "train/transpose.h"

struct ten_trainer {
  ten_executable *step;              /* owned */
  ten_file file;                     /* owned: the step file it came from, or empty */
  json_t *header;                    /* owned: of that file; names refer to it */
  ten_step_slot *slots;              /* owned: the arguments of the step, types borrowed from the program */
  size_t state_count;                /* arguments that are returned: the first ones */
  ten_tensor **state;                /* owned */
  ten_tensor **arguments, **results; /* scratch for a call */
  ten_tensor **plain;        /* owned: copies of transposed state in PyTorch's order, for callers that request them */
  ten_tensor **spare;        /* owned: memory for the next value of a slot that cannot be updated in place */
  void **addresses;          /* scratch for a call: inputs, then outputs */
  bool held;                 /* the state is on the device, which updates it */
  bool *stale;               /* owned: by slot, the device has a newer value */
  ten_dataset_field *fields; /* owned */
  size_t field_count;
};

static ten_str role(const ten_trainer *t, size_t i) { return t->slots[i].role; }
static ten_str name(const ten_trainer *t, size_t i) { return t->slots[i].name; }

static bool is_zero(const ten_attr *value) {
  const char *data = value->dense.data;
  bool zero = value->dense.splat && data;
  for (size_t i = 0; zero && i < value->dense.size; i++) zero = !data[i];
  return zero;
}

/* A value that @init returns. If it will be written to, it is a copy, and pages of its source file are released;
 * otherwise (no `copied`) it is the module's data, or empty for zeros. */
static ten_status *read_value(const ten_attr *value, const ten_type *type, const ten_transpose *transpose,
                              const ten_pages *copied, ten_tensor **out_tensor) {
  *out_tensor = NULL;
  ten_tensor *view = NULL;
  if (is_zero(value)) return copied ? ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor) : NULL;
  TEN_TRY(ten_tensor_of_attr(value, &view));
  ten_status *status = NULL;
  if (transpose->rank) {
    status = ten_transpose_tensor(view, transpose, false, out_tensor);
  } else if (!copied) {
    *out_tensor = ten_tensor_retain(view);
  } else {
    status = ten_tensor_create(type->dtype, type->rank, type->dims, out_tensor);
    if (!status) memcpy((*out_tensor)->data, view->data, view->bytes);
  }
  if (copied) ten_pages_release(copied, view->data, view->bytes);
  ten_tensor_release(view);
  return status;
}

/* The values @init returns, each a constant. */
static ten_status *read_init(const ten_module *module, const ten_pages *copied, ten_trainer *t) {
  const ten_op *init = ten_module_find(module, TEN_STR("init"));
  if (!init || ten_func_type(init)->result_count != t->state_count)
    return ten_error(TEN_INVALID, "the program has no @init that fits its @step");
  const ten_op *end = ten_block_terminator(ten_op_body(init, 0));
  for (uint32_t i = 0; i < t->state_count; i++) {
    const ten_attr *value = ten_value_constant(ten_op_operand(end, i));
    const ten_transpose *transpose = &t->slots[i].transpose;
    if (!value) return ten_op_error(init, TEN_INVALID, "result %u is not a constant", i);
    if (value->dense.type != ten_op_operand(end, i)->type)
      return ten_op_error(init, TEN_INVALID, "result %u does not have the size of its type", i);
    const ten_type *type = transpose->rank ? t->slots[i].type : value->dense.type;
    TEN_TRY(read_value(value, type, transpose, copied, &t->state[i]));
  }
  return NULL;
}

static ten_status *read_copies(const ten_module *module, ten_trainer *t) {
  TEN_RECOVER("copying the first values");
  ten_pages pages;
  ten_pages_list(&pages);
  ten_status *status = read_init(module, &pages, t);
  ten_vec_free(&pages.files);
  return status;
}

/* The initial values are copied, and zeros get their memory, while the step is compiled: each takes about as long. */
typedef struct filling {
  const ten_module *module;
  ten_trainer *trainer;
  ten_status *status;
} filling;

/* Touches memory that is still zero, so that no step waits for page faults. */
static void *fill(void *argument) {
  filling *f = argument;
  enum { PAGE = 4096, LARGE = 1 << 18 };
  f->status = read_copies(f->module, f->trainer);
  for (size_t i = 0; i < f->trainer->state_count && !f->status; i++) {
    const ten_tensor *value = f->trainer->state[i];
    volatile char *data = value->data;
    for (size_t at = 0; value->bytes >= LARGE && at < value->bytes; at += PAGE) data[at] = data[at];
  }
  return NULL;
}

static ten_status *fill_and_compile(const ten_backend *backend, ten_module *module, ten_op *func,
                                    const ten_settings *settings, ten_trainer *t) {
  filling f = {.module = module, .trainer = t};
  ten_thread thread;
  ten_status *alone = ten_cpu_count() > 1 ? ten_thread_start(0, fill, &f, &thread) : ten_error(TEN_LIMIT, "one CPU");
  if (alone) {
    ten_status_free(alone);
    TEN_TRY(read_copies(module, t));
    return ten_compile(backend, module, func, settings, &t->step);
  }
  ten_status *status = ten_compile(backend, module, func, settings, &t->step);
  ten_thread_join(thread);
  return ten_first_error(status, f.status);
}

/* Allocates for `count` arguments, of which the first `state_count` are returned. */
static ten_trainer *trainer_new(size_t count, size_t state_count) {
  ten_trainer *t = ten_alloc(sizeof *t);
  t->slots = ten_alloc((count + 1) * sizeof *t->slots);
  t->state_count = state_count;
  t->state = ten_alloc((state_count + 1) * sizeof *t->state);
  t->arguments = ten_alloc((count + 1) * sizeof *t->arguments);
  t->results = ten_alloc((state_count + 2) * sizeof *t->results);
  t->plain = ten_alloc((state_count + 1) * sizeof *t->plain);
  t->spare = ten_alloc((state_count + 1) * sizeof *t->spare);
  t->stale = ten_alloc(state_count + 1);
  t->addresses = ten_alloc((count + state_count + 2) * sizeof *t->addresses);
  t->field_count = count - state_count;
  t->fields = ten_alloc((t->field_count + 1) * sizeof *t->fields);
  return t;
}

static ten_status *set_fields(ten_trainer *t, const ten_type *type) {
  if (type->result_count != t->state_count + 1)
    return ten_error(TEN_INVALID, "@step does not return its state and a loss");
  for (size_t i = 0; i < type->input_count; i++) t->slots[i].type = type->inputs[i];
  for (size_t i = 0; i < t->state_count; i++) /* results are written in the arguments' memory */
    if (type->results[i] != type->inputs[i] && !ten_type_equal(type->results[i], type->inputs[i]))
      return ten_error(TEN_INVALID, "@step does not return '%.*s' with the type that it takes", TEN_FMT(name(t, i)));
  const ten_type *loss = type->results[t->state_count];
  if (!ten_type_is_tensor(loss) || loss->rank || !ten_dtype_is_float(loss->dtype))
    return ten_error(TEN_INVALID, "@step's loss is not one real number");
  for (size_t i = 0; i < t->state_count; i++) {
    const bool seed = ten_str_is(role(t, i), "random"), step = ten_str_is(role(t, i), "step");
    if ((seed && ten_type_bytes(type->inputs[i]) < sizeof(uint64_t)) ||
        (step && (ten_type_count(type->inputs[i]) != 1 || !ten_dtype_is_int(type->inputs[i]->dtype))))
      return ten_error(TEN_INVALID, "'%.*s' does not have the type of a %.*s", TEN_FMT(name(t, i)),
                       TEN_FMT(role(t, i)));
  }
  for (size_t i = 0; i < t->field_count; i++)
    t->fields[i] = (ten_dataset_field){name(t, t->state_count + i), t->slots[t->state_count + i].type};
  return NULL;
}

ten_status *ten_trainer_create(const ten_backend *backend, ten_module *module, const ten_settings *settings,
                               ten_trainer **out_trainer) {
  *out_trainer = NULL;
  TEN_RECOVER("making the training step");
  ten_op *func = ten_module_find(module, TEN_STR("step"));
  if (!func || !ten_op_is_func(func)) return ten_error(TEN_INVALID, "the program has no @step to train with");
  if (!backend || ten_backend_is_cpu(backend)) TEN_TRY(ten_train_transpose(module, func));
  const ten_type *type = ten_func_type(func);
  uint32_t state_count = 0;
  while (state_count < type->input_count && ten_func_arg_attr(func, state_count, "tf.aliasing_output")) state_count++;
  ten_trainer *t = trainer_new(type->input_count, state_count);
  for (uint32_t i = 0; i < type->input_count; i++) {
    t->slots[i].role = ten_attr_as_string(ten_own_arg_attr(func, i, TEN_NAME_ROLE));
    t->slots[i].name = ten_attr_as_string(ten_own_arg_attr(func, i, TEN_NAME_NAME));
    t->slots[i].transpose = ten_train_transpose_of(func, i);
  }
  ten_status *status = set_fields(t, type);
  if (!status) status = backend ? fill_and_compile(backend, module, func, settings, t) : read_init(module, NULL, t);
  if (status) {
    ten_trainer_destroy(t);
    return status;
  }
  *out_trainer = t;
  return NULL;
}

ten_status *ten_trainer_compile_to(ten_module *module, const ten_settings *settings, const char *path) {
  TEN_RECOVER("compiling the training step");
  ten_trainer *t;
  TEN_TRY(ten_trainer_create(NULL, module, settings, &t));
  ten_buf code = {0};
  ten_status *status =
      ten_backend_save(ten_backend_default(), module, ten_module_find(module, TEN_STR("step")), settings, NULL, &code);
  if (!status)
    status = ten_step_file_write(path, t->slots, t->state_count + t->field_count, t->state, t->state_count,
                                 (ten_str){code.data, code.size});
  ten_buf_free(&code);
  ten_trainer_destroy(t);
  return status;
}

ten_status *ten_trainer_open(const char *path, ten_trainer **out_trainer) {
  *out_trainer = NULL;
  TEN_RECOVER("opening the training step");
  ten_file file;
  TEN_TRY(ten_file_map(path, &file));
  ten_step_file parts = {0};
  ten_status *status = ten_step_file_read(ten_file_bytes(&file), path, &parts);
  ten_trainer *t = status ? NULL : trainer_new(parts.slot_count, parts.state_count);
  if (t) {
    memcpy(t->slots, parts.slots, parts.slot_count * sizeof *t->slots);
    t->header = parts.header;
    t->file = file;
    status = ten_backend_load(ten_backend_default(), parts.code.data, parts.code.size, path, &t->step);
  } else {
    ten_file_unmap(&file);
  }
  const ten_type *type = status ? NULL : ten_func_type(t->step->func);
  if (type && type->input_count != parts.slot_count)
    status = ten_error(TEN_INVALID, "%s is damaged: its program takes %u values, it names %zu", path, type->input_count,
                       parts.slot_count);
  if (!status) status = set_fields(t, type);
  for (size_t i = 0; !status && i < t->state_count; i++) {
    if (!ten_transpose_fits(&t->slots[i].transpose, type->inputs[i]->rank))
      status = ten_error(TEN_INVALID, "%s is damaged: '%.*s' cannot have the order it says", path, TEN_FMT(name(t, i)));
    else
      status = ten_tensor_create(type->inputs[i]->dtype, type->inputs[i]->rank, type->inputs[i]->dims, &t->state[i]);
    if (!status && parts.data[i].data && parts.data[i].size != t->state[i]->bytes)
      status = ten_error(TEN_INVALID, "%s is damaged: '%.*s' has %zu bytes, its type says %zu", path,
                         TEN_FMT(name(t, i)), parts.data[i].size, t->state[i]->bytes);
    if (!status && parts.data[i].data) memcpy(t->state[i]->data, parts.data[i].data, parts.data[i].size);
  }
  ten_step_file_free(&parts);
  if (!status) ten_file_release_pages(&t->file); /* the initial values, which are most of it, have been copied */
  if (status) {
    ten_trainer_destroy(t);
    return status;
  }
  *out_trainer = t;
  return NULL;
}

void ten_trainer_destroy(ten_trainer *t) {
  if (!t) return;
  ten_executable_release(t->step);
  ten_tensors_release(t->state, t->state_count);
  ten_tensors_release(t->spare, t->state_count);
  ten_tensors_release(t->plain, t->state_count);
  free(t->plain);
  free(t->stale);
  free(t->spare);
  free(t->addresses);
  if (t->header) json_decref(t->header);
  ten_file_unmap(&t->file);
  free(t->slots);
  free(t->state);
  free(t->arguments);
  free(t->results);
  free(t->fields);
  free(t);
}

const ten_dataset_field *ten_trainer_fields(const ten_trainer *trainer, size_t *out_count) {
  *out_count = trainer->field_count;
  return trainer->fields;
}

const ten_step_slot *ten_trainer_slots(const ten_trainer *trainer, size_t *out_count) {
  *out_count = trainer->state_count;
  return trainer->slots;
}
ten_status *ten_trainer_value(const ten_trainer *t, size_t slot, ten_tensor **out_value) {
  TEN_RECOVER("reading the state");
  if (t->stale[slot]) {
    ten_tensor *value;
    TEN_TRY(t->step->backend->fetch(t->step, slot, &value));
    ten_tensor_release(t->state[slot]);
    t->state[slot] = value;
    t->stale[slot] = false;
  }
  *out_value = t->state[slot];
  if (!t->slots[slot].transpose.rank) return NULL;
  ten_tensor_release(t->plain[slot]);
  t->plain[slot] = NULL;
  TEN_TRY(ten_transpose_tensor(t->state[slot], &t->slots[slot].transpose, true, &t->plain[slot]));
  *out_value = t->plain[slot];
  return NULL;
}

ten_executable *ten_trainer_executable(const ten_trainer *t) { return t->step; }

void ten_trainer_seed(ten_trainer *t, uint64_t seed) {
  for (size_t i = 0; i < t->state_count; i++)
    if (ten_str_is(role(t, i), "random")) memcpy(t->state[i]->data, &seed, sizeof seed);
}

int64_t ten_trainer_steps(const ten_trainer *t) {
  for (size_t i = 0; i < t->state_count; i++)
    if (ten_str_is(role(t, i), "step")) return ten_tensor_int(t->state[i], 0);
  return 0;
}

size_t ten_trainer_parameters(const ten_trainer *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->state_count; i++)
    if (ten_str_is(role(t, i), "parameter")) count += t->state[i]->count;
  return count;
}

/* State is updated in place; if impossible, in spare memory, which is then swapped with it. */
static ten_status *step_in_place(ten_trainer *t, ten_tensor *const *inputs, double *out_loss) {
  const size_t count = t->state_count + t->field_count;
  void **outputs = t->addresses + count;
  double wide = 0; /* holds a loss of any type */
  for (size_t i = 0; i < t->state_count; i++) {
    t->addresses[i] = outputs[i] = t->state[i]->data;
    if (ten_executable_in_place(t->step, (uint32_t)i, (uint32_t)i)) continue;
    const ten_tensor *value = t->state[i];
    if (!t->spare[i]) TEN_TRY(ten_tensor_create(value->dtype, value->rank, value->dims, &t->spare[i]));
    outputs[i] = t->spare[i]->data;
  }
  for (size_t i = 0; i < t->field_count; i++) t->addresses[t->state_count + i] = inputs[i]->data;
  outputs[t->state_count] = &wide;
  ten_tensor *loss; /* allocated before: nothing may fail once the state has changed, or the step would run twice */
  const ten_type *type = ten_func_type(t->step->func)->results[t->state_count];
  TEN_TRY(ten_tensor_from_memory(type->dtype, 0, NULL, &wide, NULL, NULL, &loss));
  ten_status *status = ten_executable_call(t->step, t->addresses, outputs);
  if (!status) *out_loss = ten_tensor_real(loss, 0, 0);
  ten_tensor_release(loss);
  if (status) return status;
  for (size_t i = 0; i < t->state_count; i++) {
    if (!t->spare[i]) continue;
    ten_tensor *before = t->state[i];
    t->state[i] = t->spare[i];
    t->spare[i] = before;
  }
  return NULL;
}

static ten_status *step_anywhere(ten_trainer *t, ten_tensor *const *inputs, double *out_loss) {
  for (size_t i = 0; i < t->state_count; i++) t->arguments[i] = t->state[i];
  for (size_t i = 0; i < t->field_count; i++) t->arguments[t->state_count + i] = inputs[i];
  TEN_TRY(ten_execute(t->step, t->arguments, t->state_count + t->field_count, NULL, t->results));
  *out_loss = ten_tensor_real(t->results[t->state_count], 0, 0);
  ten_tensor_release(t->results[t->state_count]);
  for (size_t i = 0; i < t->state_count; i++) {
    ten_tensor_release(t->state[i]);
    t->state[i] = t->results[i];
  }
  return NULL;
}

/* For a device that holds the state: only data and loss are transferred. */
static ten_status *step_held(ten_trainer *t, ten_tensor *const *inputs, double *out_loss) {
  const ten_backend *backend = t->step->backend;
  if (!t->held) TEN_TRY(backend->hold(t->step, t->state, t->state_count));
  t->held = true;
  TEN_TRY(backend->advance(t->step, inputs, t->field_count, t->results));
  *out_loss = ten_tensor_real(t->results[t->state_count], 0, 0);
  ten_tensor_release(t->results[t->state_count]);
  for (size_t i = 0; i < t->state_count; i++) {
    t->stale[i] = !t->results[i];
    if (t->stale[i]) continue;
    ten_tensor_release(t->state[i]);
    t->state[i] = t->results[i];
  }
  return NULL;
}

ten_status *ten_trainer_step(ten_trainer *t, ten_tensor *const *inputs, double *out_loss) {
  TEN_RECOVER("training");
  TEN_TRY(t->step->backend->hold             ? step_held(t, inputs, out_loss)
          : ten_executable_is_plain(t->step) ? step_in_place(t, inputs, out_loss)
                                             : step_anywhere(t, inputs, out_loss));
  /* The step returns its state unchanged when the loss is not finite: the last valid state. */
  if (!isfinite(*out_loss))
    return ten_error(TEN_MISMATCH, "the loss is %g at step %" PRId64 "; the state before it is kept", *out_loss,
                     ten_trainer_steps(t) + 1);
  return NULL;
}

/* model.safetensors → model.state.safetensors */
static char *state_path(const char *path) {
  ten_buf text = {0};
  const ten_str whole = ten_str_of(path);
  const bool known = ten_str_ends(whole, ".safetensors");
  ten_buf_printf(&text, "%.*s.state%s", (int)(whole.size - (known ? 12 : 0)), path, known ? ".safetensors" : "");
  return ten_buf_take(&text);
}

ten_status *ten_trainer_save(const ten_trainer *t, const char *path, const ten_position *position) {
  TEN_RECOVER("saving the state");
  char epoch[24], batch[24], seed[24], digest[33] = "";
  snprintf(epoch, sizeof epoch, "%" PRId64, position->epoch);
  snprintf(batch, sizeof batch, "%" PRId64, position->batch);
  snprintf(seed, sizeof seed, "%" PRIu64, position->seed);
  ten_metadata notes[] = {{"format", "pt"},
                          {ten_name_text(TEN_NAME_EPOCH), epoch},
                          {ten_name_text(TEN_NAME_BATCH), batch},
                          {ten_name_text(TEN_NAME_SEED), seed},
                          {ten_name_text(TEN_NAME_DIGEST), digest}};
  ten_named_tensor *all = ten_alloc((t->state_count + 1) * sizeof *all),
                   *model = ten_alloc((t->state_count + 1) * sizeof *model);
  size_t model_count = 0;
  ten_status *status = NULL;
  ten_hasher *hasher = ten_hasher_create();
  for (size_t i = 0; i < t->state_count && !status; i++) {
    ten_tensor *value;
    status = ten_trainer_value(t, i, &value);
    if (!status) ten_hasher_add(hasher, value->data, value->bytes);
    all[i] = (ten_named_tensor){name(t, i), value};
    if (ten_str_is(role(t, i), "parameter") || ten_str_is(role(t, i), "buffer")) model[model_count++] = all[i];
  }
  ten_hash128_hex(ten_hasher_result(hasher), digest);
  ten_hasher_destroy(hasher);
  char *resume_path = state_path(path);
  if (!status) status = ten_safetensors_write(resume_path, all, t->state_count, notes, sizeof notes / sizeof *notes);
  if (!status) status = ten_safetensors_write(path, model, model_count, notes, 1);
  for (size_t i = 0; i < t->state_count; i++) { /* they would be as large as the model */
    ten_tensor_release(t->plain[i]);
    t->plain[i] = NULL;
  }
  free(resume_path);
  free(all);
  free(model);
  return ten_annotate(status, "saving a checkpoint to %s", path);
}

/* A number written by `save`: only digits. */
static ten_status *read_number(const ten_safetensors *file, const char *key, uint64_t most, uint64_t *out) {
  *out = 0;
  const char *text = ten_safetensors_metadata(file, key);
  if (!text) return ten_error(TEN_INVALID, "the checkpoint does not say its %s", key);
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value > most)
    return ten_error(TEN_INVALID, "the checkpoint's %s is '%s', not a number from 0 to %" PRIu64, key, text, most);
  *out = value;
  return NULL;
}

static ten_status *read_position(const ten_safetensors *file, ten_position *out) {
  uint64_t epoch, batch, seed;
  TEN_TRY(read_number(file, ten_name_text(TEN_NAME_EPOCH), INT64_MAX, &epoch));
  TEN_TRY(read_number(file, ten_name_text(TEN_NAME_BATCH), INT64_MAX, &batch));
  TEN_TRY(read_number(file, ten_name_text(TEN_NAME_SEED), UINT64_MAX, &seed));
  *out = (ten_position){.epoch = (int64_t)epoch, .batch = (int64_t)batch, .seed = seed};
  return NULL;
}

static bool has_slot(const ten_trainer *t, ten_str wanted) {
  for (size_t i = 0; i < t->state_count; i++)
    if (ten_str_eq(name(t, i), wanted)) return true;
  return false;
}

static void say_names(ten_buf *text, ten_str first, size_t count) {
  ten_buf_printf(text, "'%.*s'", TEN_FMT(first));
  if (count > 1) ten_buf_printf(text, " and %zu more", count - 1);
}

/* The checkpoint of another model or optimizer has other names. */
static ten_status *check_names(const ten_trainer *t, const ten_safetensors *file) {
  ten_str lacks = {0}, has = {0};
  size_t lack_count = 0, has_count = 0;
  for (size_t i = 0; i < t->state_count; i++)
    if (!ten_safetensors_has(file, name(t, i)) && !lack_count++) lacks = name(t, i);
  for (ten_str at = ten_safetensors_next(file, (ten_str){0}); at.data; at = ten_safetensors_next(file, at))
    if (!has_slot(t, at) && !has_count++) has = at;
  if (!lack_count && !has_count) return NULL;
  ten_buf text = {0};
  if (lack_count) {
    ten_buf_adds(&text, "there is no tensor ");
    say_names(&text, lacks, lack_count);
    ten_buf_adds(&text, " in it, which this program needs");
  }
  if (has_count) {
    ten_buf_adds(&text, lack_count ? "; it holds " : "it holds ");
    say_names(&text, has, has_count);
    ten_buf_adds(&text, ", which this program does not have");
  }
  ten_status *status = ten_error(TEN_INVALID,
                                 "the checkpoint is of another model or optimizer: %s (resume with the model and the "
                                 "--optimizer it was written with)",
                                 text.data);
  ten_buf_free(&text);
  return status;
}

/* One value of the state, in the program's order; a copy: the file is closed afterwards. */
static ten_status *read_slot(const ten_trainer *t, const ten_safetensors *file, size_t i, ten_hasher *hasher,
                             ten_tensor **out) {
  ten_tensor *view;
  TEN_TRY(ten_safetensors_get(file, name(t, i), &view));
  ten_hasher_add(hasher, view->data, view->bytes);
  const ten_transpose *transpose = &t->slots[i].transpose;
  ten_status *status = NULL;
  if (transpose->rank && ten_transpose_fits(transpose, view->rank)) {
    ten_tensor *transposed;
    status = ten_transpose_tensor(view, transpose, false, &transposed);
    ten_tensor_release(view);
    view = transposed;
  }
  if (!status && !ten_tensor_fits(view, t->slots[i].type))
    status = ten_error(TEN_INVALID, "'%.*s' in the checkpoint has another type or shape than in the program",
                       TEN_FMT(name(t, i)));
  if (!status) status = ten_tensor_create(view->dtype, view->rank, view->dims, out);
  if (!status && view->bytes) memcpy((*out)->data, view->data, view->bytes);
  if (!status && ten_str_is(role(t, i), "step") && ten_tensor_int(*out, 0) < 0)
    status = ten_error(TEN_INVALID, "the checkpoint says %" PRId64 " steps were done", ten_tensor_int(*out, 0));
  ten_tensor_release(view);
  return status;
}

static ten_status *read_state(const ten_trainer *t, const ten_safetensors *file, ten_tensor **state) {
  ten_hasher *hasher = ten_hasher_create();
  ten_status *status = NULL;
  for (size_t i = 0; i < t->state_count && !status; i++) status = read_slot(t, file, i, hasher, &state[i]);
  char digest[33];
  ten_hash128_hex(ten_hasher_result(hasher), digest);
  ten_hasher_destroy(hasher);
  const char *wanted = ten_safetensors_metadata(file, ten_name_text(TEN_NAME_DIGEST));
  if (!status && wanted && strcmp(wanted, digest))
    status = ten_error(TEN_INVALID, "the checkpoint is damaged: its values are not those that were written");
  return status;
}

ten_status *ten_trainer_resume(ten_trainer *t, const char *path, ten_position *out_position) {
  TEN_RECOVER("resuming the state");
  char *resume_path = state_path(path);
  ten_safetensors *file = NULL;
  ten_position position;
  ten_tensor **state = ten_alloc((t->state_count + 1) * sizeof *state);
  ten_status *status = ten_safetensors_open(resume_path, &file);
  if (!status) status = read_position(file, &position);
  if (!status) status = check_names(t, file);
  if (!status) status = read_state(t, file, state);
  if (!status) status = ten_mapped_check();
  if (!status) {
    ten_tensors_release(t->state, t->state_count);
    memcpy(t->state, state, t->state_count * sizeof *state);
    memset(t->stale, 0, t->state_count);
    t->held = false;
    *out_position = position;
  } else {
    ten_tensors_release(state, t->state_count);
  }
  ten_safetensors_close(file);
  status = ten_annotate(status, "resuming from %s", resume_path);
  free(state);
  free(resume_path);
  return status;
}
