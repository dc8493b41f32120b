/* session.c: arrays and programs of a client, by number, and the operations on them. */
#include "serve/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "device.pb-c.h"
#include "driver/devices.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "serve/grpc.h"

enum { ARRAYS_MOST = 1 << 20, PROGRAMS_MOST = 1 << 10, SPARE_LEAST = 1 << 20, SPARE_MOST = 256 << 20 };

typedef Tenfold__Device__V1__Tensor tensor_message;
typedef Tenfold__Device__V1__ExecuteRequest execute_message;
typedef Tenfold__Device__V1__Result result_message;

/* A compiled program; reference-counted, as it may be freed while it runs. */
struct serve_program {
  int references;             /* atomic */
  ten_module *module;         /* owned */
  ten_executable *executable; /* owned */
  void *file;                 /* owned: a compiled file, which the executable points into */
};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static serve_slot *table_find(const serve_table *t, uint64_t number) {
  for (size_t i = number; t->capacity && number; i++) {
    serve_slot *at = &t->slots[i & (t->capacity - 1)];
    if (at->number == number && at->thing) return at;
    if (!at->number) return NULL;
  }
  return NULL;
}

/* Freed numbers stay as tombstones until the table is rebuilt. */
static void table_make_room(serve_table *t) {
  if (t->used * 2 < t->capacity) return;
  serve_table grown = {.capacity = 64, .used = t->live, .live = t->live};
  while (grown.capacity < t->live * 4) grown.capacity *= 2;
  grown.slots = ten_alloc(grown.capacity * sizeof *grown.slots);
  memset(grown.slots, 0, grown.capacity * sizeof *grown.slots);
  for (size_t i = 0; i < t->capacity; i++) {
    if (!t->slots[i].thing) continue;
    size_t k = t->slots[i].number;
    while (grown.slots[k & (grown.capacity - 1)].number) k++;
    grown.slots[k & (grown.capacity - 1)] = t->slots[i];
  }
  free(t->slots);
  *t = grown;
}

static void table_add(serve_table *t, uint64_t number, void *thing) {
  table_make_room(t);
  size_t k = number;
  while (t->slots[k & (t->capacity - 1)].number) k++;
  t->slots[k & (t->capacity - 1)] = (serve_slot){number, thing};
  t->used++;
  t->live++;
}

/* Transfers the object to the caller; NULL: there is none of that number. */
static void *table_take(serve_table *t, uint64_t number) {
  serve_slot *at = table_find(t, number);
  if (!at) return NULL;
  void *thing = at->thing;
  at->thing = NULL;
  t->live--;
  return thing;
}

static serve_program *program_retain(serve_program *p) {
  __atomic_add_fetch(&p->references, 1, __ATOMIC_RELAXED);
  return p;
}

static void program_release(serve_program *p) {
  if (!p || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL)) return;
  ten_executable_release(p->executable);
  free(p->file);
  if (p->module) ten_module_destroy(p->module);
  free(p);
}

void serve_tables_free(serve_tables *tables) {
  for (size_t i = 0; i < tables->arrays.capacity; i++) ten_tensor_release(tables->arrays.slots[i].thing);
  for (size_t i = 0; i < tables->programs.capacity; i++) program_release(tables->programs.slots[i].thing);
  free(tables->arrays.slots);
  free(tables->programs.slots);
  ten_tensor_release(tables->spare);
  *tables = (serve_tables){0};
}

static bool has_room(const serve_tables *tables, size_t bytes, size_t count) {
  return bytes <= tables->bytes_most && tables->bytes <= tables->bytes_most - bytes &&
         tables->arrays.live + count <= ARRAYS_MOST;
}

static ten_status *no_room(const serve_tables *tables, size_t bytes) {
  if (tables->arrays.live >= ARRAYS_MOST)
    return ten_error(TEN_LIMIT, "there are %zu arrays, and can be no more than %d", tables->arrays.live, ARRAYS_MOST);
  return ten_error(TEN_LIMIT, "no room for %zu bytes more: arrays take %zu of %zu bytes (--max-arrays, or the token's)",
                   bytes, tables->bytes, tables->bytes_most);
}

static uint64_t array_add(serve_tables *tables, ten_tensor *tensor) {
  const uint64_t number = ++tables->next;
  table_add(&tables->arrays, number, ten_tensor_retain(tensor));
  tables->bytes += tensor->bytes;
  return number;
}

static ten_tensor *array_take(serve_tables *tables, uint64_t number) {
  ten_tensor *tensor = table_take(&tables->arrays, number);
  if (tensor) tables->bytes -= tensor->bytes;
  return tensor;
}

/* An array that is freed. The system clears new memory at about the speed of a network: a large one stays, within what
 * the client may have, for the next that is like it. */
static void array_free(serve_tables *tables, uint64_t number) {
  ten_tensor *tensor = array_take(tables, number);
  const bool fits = tables->keeps_spare && tensor && tensor->bytes >= SPARE_LEAST && tensor->bytes <= SPARE_MOST &&
                    tables->bytes <= tables->bytes_most && tensor->bytes <= tables->bytes_most - tables->bytes;
  if (fits && !tensor->release && __atomic_load_n(&tensor->references, __ATOMIC_ACQUIRE) == 1) {
    ten_tensor_release(tables->spare);
    tables->spare = tensor;
  } else {
    ten_tensor_release(tensor);
  }
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static ten_status *tensor_type(const tensor_message *m, ten_dtype *out_dtype, size_t *out_bytes) {
  *out_dtype = m ? ten_dtype_parse(m->dtype, strlen(m->dtype)) : TEN_DTYPE_NONE;
  if (*out_dtype == TEN_DTYPE_NONE)
    return ten_error(TEN_INVALID, "a tensor of unknown type '%.40s'; types are spelt as in MLIR: f32, i64, i1",
                     m ? m->dtype : "");
  if (m->n_dims > TEN_RANK_MAX)
    return ten_error(TEN_INVALID, "a tensor of %zu dimensions; %d are the most", m->n_dims, TEN_RANK_MAX);
  *out_bytes = ten_dtype_bytes(*out_dtype);
  for (size_t i = 0; i < m->n_dims; i++)
    if (m->dims[i] < 0 || !ten_mul(*out_bytes, (size_t)m->dims[i], out_bytes))
      return ten_error(TEN_INVALID, "a tensor with a dimension of %lld", (long long)m->dims[i]);
  return NULL;
}

ten_status *serve_tensor_make(const void *tensor, size_t most, ten_tensor **spare, ten_tensor **out) {
  *out = NULL;
  const tensor_message *m = tensor;
  ten_dtype dtype;
  size_t bytes;
  TEN_TRY(tensor_type(m, &dtype, &bytes));
  if (bytes > most) return ten_error(TEN_LIMIT, "no room for %zu bytes: %zu are left (--max-arrays)", bytes, most);
  const ten_tensor *old = spare ? *spare : NULL;
  if (old && old->dtype == dtype && old->rank == m->n_dims &&
      !memcmp(old->dims, m->dims, m->n_dims * sizeof *m->dims)) {
    *out = *spare;
    *spare = NULL;
    return NULL;
  }
  if (old && old->bytes > most - bytes) {
    ten_tensor_release(*spare);
    *spare = NULL;
  }
  return ten_tensor_create(dtype, (uint32_t)m->n_dims, m->dims, out);
}

ten_status *serve_tensor_check(const ten_tensor *tensor) {
  const unsigned char *data = tensor->data;
  for (size_t i = 0; tensor->dtype == TEN_I1 && i < tensor->bytes; i++)
    if (data[i] > 1) return ten_error(TEN_INVALID, "a value of i1 is %u; 0 and 1 are allowed", data[i]);
  return NULL;
}

/* A view of the message's bytes, if they are aligned. */
static ten_status *tensor_read(const tensor_message *m, ten_tensor **out) {
  *out = NULL;
  ten_dtype dtype;
  size_t bytes;
  TEN_TRY(tensor_type(m, &dtype, &bytes));
  if (bytes != m->data.len)
    return ten_error(TEN_INVALID, "a tensor of %zu bytes, its shape and type take %zu", m->data.len, bytes);
  TEN_TRY(ten_tensor_from_memory(dtype, (uint32_t)m->n_dims, m->dims, m->data.data, NULL, NULL, out));
  return serve_tensor_check(*out);
}

ten_status *serve_tensor_copy(const void *tensor, size_t most, ten_tensor **out) {
  *out = NULL;
  const tensor_message *m = tensor;
  ten_tensor *view = NULL; /* report invalid values even if memory is short */
  ten_status *status = tensor_read(m, &view);
  if (!status) status = serve_tensor_make(m, most, NULL, out);
  if (!status && view->bytes) memcpy((*out)->data, view->data, view->bytes);
  ten_tensor_release(view);
  return status;
}

static tensor_message tensor_write(const ten_tensor *tensor, bool with_data) {
  tensor_message m = TENFOLD__DEVICE__V1__TENSOR__INIT;
  m.dtype = (char *)(uintptr_t)ten_dtype_name(tensor->dtype);
  m.n_dims = tensor->rank;
  m.dims = (int64_t *)(uintptr_t)tensor->dims;
  if (with_data) m.data = (ProtobufCBinaryData){tensor->bytes, tensor->data};
  return m;
}

static void pack(const ProtobufCMessage *message, char **out_data, size_t *out_size) {
  *out_size = protobuf_c_message_get_packed_size(message);
  *out_data = ten_alloc(*out_size + 1);
  protobuf_c_message_pack(message, (uint8_t *)*out_data);
}

void serve_download_pack(const ten_tensor *tensor, bool with_data, char **out_data, size_t *out_size) {
  Tenfold__Device__V1__DownloadResponse response = TENFOLD__DEVICE__V1__DOWNLOAD_RESPONSE__INIT;
  tensor_message about = tensor_write(tensor, with_data);
  response.tensor = &about;
  pack(&response.base, out_data, out_size);
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static ten_status *compile_begin(serve_tables *tables, serve_op *op) {
  if (tables->programs.live >= PROGRAMS_MOST)
    return ten_error(TEN_LIMIT, "%d programs are compiled, there can be no more", PROGRAMS_MOST);
  op->program = ten_alloc(sizeof *op->program);
  *op->program = (serve_program){.references = 1};
  return NULL;
}

static ten_status *check_work(const serve_tables *tables, const ten_executable *executable) {
  ten_memory memory;
  if (!tables->work_most || !ten_executable_memory(executable, &memory)) return NULL;
  if (memory.work <= tables->work_most && memory.results <= tables->work_most - memory.work) return NULL;
  return ten_error(TEN_LIMIT, "the program needs %zu MiB to run in, %zu MiB are allowed (--max-program-memory)",
                   (memory.work + memory.results) >> 20, tables->work_most >> 20);
}

/* Machine code: its sender can do all that this process can. */
static ten_status *load_compiled(const serve_tables *tables, const char *data, size_t size, serve_program *p) {
  enum { ALIGNMENT = 64 };
  if (!tables->allow_compiled)
    return ten_error(TEN_UNSUPPORTED, "compiled programs are not taken; start the server with --allow-compiled");
  size_t room;
  if (!ten_add(size, ALIGNMENT, &room)) return ten_error(TEN_LIMIT, "a compiled file of %zu bytes", size);
  p->file = aligned_alloc(ALIGNMENT, room / ALIGNMENT * ALIGNMENT);
  if (!p->file) return ten_error(TEN_LIMIT, "no memory for a compiled file of %zu bytes", size);
  memcpy(p->file, data, size);
  TEN_TRY(ten_backend_load(ten_backend_default(), p->file, size, "<client>", &p->executable));
  return check_work(tables, p->executable);
}

static ten_status *compile_run(const serve_tables *tables, serve_op *op) {
  const Tenfold__Device__V1__CompileRequest *request = (const Tenfold__Device__V1__CompileRequest *)op->message;
  const char *data = (const char *)request->program.data;
  const size_t size = request->program.len;
  serve_program *p = op->program;
  if (request->compiled) return load_compiled(tables, data, size, p);
  const ten_backend *backend;
  ten_settings settings;
  TEN_TRY(ten_settings_parse(*request->precision ? request->precision : NULL, request->exact_conv, &settings));
  TEN_TRY(ten_backend_open(tables->device ? tables->device : "cpu", &backend));
  TEN_TRY(ten_bytecode_is(data, size) ? ten_bytecode_read(data, size, "<client>", false, &p->module)
                                      : ten_text_parse(data, size, "<client>", &p->module));
  TEN_TRY(ten_verify(p->module));
  ten_op *func = ten_module_entry(p->module, ten_str_of(*request->entry ? request->entry : NULL));
  if (!func) return ten_error(TEN_NOT_FOUND, "the program has no function @%s", request->entry);
  TEN_TRY(ten_compile(backend, p->module, func, &settings, &p->executable));
  return check_work(tables, p->executable);
}

static ten_status *compile_end(serve_tables *tables, serve_op *op) {
  Tenfold__Device__V1__CompileResponse response = TENFOLD__DEVICE__V1__COMPILE_RESPONSE__INIT;
  response.program = ++tables->next;
  response.inputs = op->program->executable->input_count;
  response.outputs = op->program->executable->output_count;
  table_add(&tables->programs, response.program, program_retain(op->program));
  pack(&response.base, &op->answer, &op->answer_size);
  return NULL;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static ten_status *input_find(serve_tables *tables, serve_op *op, size_t i) {
  const Tenfold__Device__V1__Argument *argument = ((const execute_message *)op->message)->arguments[i];
  if (!argument->array) return tensor_read(argument->tensor, &op->inputs[i]);
  const serve_slot *array = table_find(&tables->arrays, argument->array);
  if (!array) return ten_error(TEN_NOT_FOUND, "no array %llu on this connection", (unsigned long long)argument->array);
  op->inputs[i] = ten_tensor_retain(array->thing);
  return NULL;
}

/* Donated arrays are removed from the table; if unshared, their memory may be written to. */
static void take_donated(serve_tables *tables, serve_op *op) {
  const execute_message *request = (const execute_message *)op->message;
  for (size_t i = 0; i < op->input_count; i++)
    if (request->arguments[i]->donated) ten_tensor_release(array_take(tables, request->arguments[i]->array));
  for (size_t i = 0; i < op->input_count; i++) {
    const ten_tensor *input = op->inputs[i];
    op->donated[i] = request->arguments[i]->array && request->arguments[i]->donated && !input->release &&
                     __atomic_load_n(&input->references, __ATOMIC_ACQUIRE) == 1;
  }
}

static ten_status *execute_begin(serve_tables *tables, serve_op *op) {
  const execute_message *request = (const execute_message *)op->message;
  const serve_slot *found = table_find(&tables->programs, request->program);
  if (!found)
    return ten_error(TEN_NOT_FOUND, "no program %llu on this connection", (unsigned long long)request->program);
  op->program = program_retain(found->thing);
  op->output_count = op->program->executable->output_count;
  op->outputs = ten_alloc((op->output_count + 1) * sizeof *op->outputs);
  memset(op->outputs, 0, (op->output_count + 1) * sizeof *op->outputs);
  op->donated = ten_alloc(request->n_arguments + 1);
  op->inputs = ten_alloc((request->n_arguments + 1) * sizeof *op->inputs);
  memset(op->inputs, 0, (request->n_arguments + 1) * sizeof *op->inputs);
  op->input_count = request->n_arguments;
  for (size_t i = 0; i < op->input_count; i++) TEN_TRY(input_find(tables, op, i));
  take_donated(tables, op);
  return NULL;
}

static ten_status *execute_run(const serve_tables *tables, serve_op *op) {
  (void)tables;
  const bool counted = ((const execute_message *)op->message)->checks;
  const ten_run_options options = {.checks = counted ? &op->checks : NULL, .donated = op->donated};
  return ten_execute(op->program->executable, op->inputs, op->input_count, &options, op->outputs);
}

static bool stays(const execute_message *request, const ten_tensor *result) {
  return request->stay || (request->stay_above && result->bytes > request->stay_above);
}

static ten_status *execute_end(serve_tables *tables, serve_op *op) {
  const execute_message *request = (const execute_message *)op->message;
  size_t bytes = 0, staying = 0;
  for (size_t i = 0; i < op->output_count; i++)
    if (stays(request, op->outputs[i])) bytes += op->outputs[i]->bytes, staying++;
  if (staying && !has_room(tables, bytes, staying)) return no_room(tables, bytes);
  Tenfold__Device__V1__ExecuteResponse response = TENFOLD__DEVICE__V1__EXECUTE_RESPONSE__INIT;
  result_message *results = ten_alloc((op->output_count + 1) * sizeof *results),
                 **all = ten_alloc((op->output_count + 1) * sizeof *all);
  tensor_message *tensors = ten_alloc((op->output_count + 1) * sizeof *tensors);
  for (size_t i = 0; i < op->output_count; i++) {
    const bool stay = stays(request, op->outputs[i]);
    results[i] = (result_message)TENFOLD__DEVICE__V1__RESULT__INIT;
    tensors[i] = tensor_write(op->outputs[i], !stay);
    results[i].tensor = &tensors[i];
    if (stay) results[i].array = array_add(tables, op->outputs[i]);
    all[i] = &results[i];
  }
  response.checks = op->checks.run;
  char **failures = ten_alloc((op->checks.failures.count + 1) * sizeof *failures);
  for (size_t i = 0; i < op->checks.failures.count; i++)
    failures[i] = (char *)(uintptr_t)ten_status_text(op->checks.failures.data[i]);
  response.n_failures = op->checks.failures.count;
  response.failures = failures;
  response.n_results = op->output_count;
  response.results = all;
  pack(&response.base, &op->answer, &op->answer_size);
  free(failures);
  free(tensors);
  free(all);
  free(results);
  return NULL;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static ten_status *upload_begin(serve_tables *tables, serve_op *op) {
  return has_room(tables, op->tensor->bytes, 1) ? NULL : no_room(tables, op->tensor->bytes);
}

static ten_status *upload_end(serve_tables *tables, serve_op *op) {
  Tenfold__Device__V1__UploadResponse response = TENFOLD__DEVICE__V1__UPLOAD_RESPONSE__INIT;
  response.array = array_add(tables, op->tensor);
  pack(&response.base, &op->answer, &op->answer_size);
  return NULL;
}

static ten_status *download_begin(serve_tables *tables, serve_op *op) {
  const uint64_t number = ((const Tenfold__Device__V1__DownloadRequest *)op->message)->array;
  const serve_slot *found = table_find(&tables->arrays, number);
  if (!found) return ten_error(TEN_NOT_FOUND, "no array %llu on this connection", (unsigned long long)number);
  op->tensor = ten_tensor_retain(found->thing);
  return NULL;
}

static ten_status *free_end(serve_tables *tables, serve_op *op) {
  const Tenfold__Device__V1__FreeRequest *request = (const Tenfold__Device__V1__FreeRequest *)op->message;
  for (size_t i = 0; i < request->n_arrays; i++) array_free(tables, request->arrays[i]);
  for (size_t i = 0; i < request->n_programs; i++) program_release(table_take(&tables->programs, request->programs[i]));
  Tenfold__Device__V1__FreeResponse response = TENFOLD__DEVICE__V1__FREE_RESPONSE__INIT;
  response.arrays_left = tables->arrays.live;
  response.bytes_left = tables->bytes;
  pack(&response.base, &op->answer, &op->answer_size);
  return NULL;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static const struct {
  const ProtobufCMessageDescriptor *request;
  ten_status *(*begin)(serve_tables *tables, serve_op *op);
  ten_status *(*run)(const serve_tables *tables, serve_op *op);
  ten_status *(*end)(serve_tables *tables, serve_op *op);
} kinds[SERVE_OP_COUNT] = {
    [SERVE_OP_COMPILE] = {&tenfold__device__v1__compile_request__descriptor, compile_begin, compile_run, compile_end},
    [SERVE_OP_UPLOAD] = {NULL, upload_begin, NULL, upload_end},
    [SERVE_OP_EXECUTE] = {&tenfold__device__v1__execute_request__descriptor, execute_begin, execute_run, execute_end},
    [SERVE_OP_DOWNLOAD] = {&tenfold__device__v1__download_request__descriptor, download_begin, NULL, NULL},
    [SERVE_OP_FREE] = {&tenfold__device__v1__free_request__descriptor, NULL, NULL, free_end},
};

ten_status *serve_op_init(serve_op *op, serve_op_kind kind, const void *request, size_t size) {
  *op = (serve_op){.kind = kind};
  ten_checks_init(&op->checks);
  if (!request || !kinds[kind].request) return NULL;
  op->message = serve_grpc_unpack(kinds[kind].request, request, size);
  return op->message ? NULL : ten_error(TEN_INVALID, "the message cannot be read");
}

ten_status *serve_op_begin(serve_tables *tables, serve_op *op) {
  TEN_RECOVER("serving a device");
  return kinds[op->kind].begin ? kinds[op->kind].begin(tables, op) : NULL;
}

ten_status *serve_op_run(const serve_tables *tables, serve_op *op) {
  TEN_RECOVER("serving a device");
  return kinds[op->kind].run ? kinds[op->kind].run(tables, op) : NULL;
}

ten_status *serve_op_end(serve_tables *tables, serve_op *op) {
  TEN_RECOVER("serving a device");
  return kinds[op->kind].end ? kinds[op->kind].end(tables, op) : NULL;
}

void serve_op_free(serve_op *op) {
  if (op->inputs) ten_tensors_release(op->inputs, op->input_count);
  if (op->outputs) ten_tensors_release(op->outputs, op->output_count);
  free(op->inputs);
  free(op->outputs);
  free(op->donated);
  ten_tensor_release(op->tensor);
  program_release(op->program);
  ten_checks_destroy(&op->checks);
  if (op->message) protobuf_c_message_free_unpacked(op->message, NULL);
  free(op->answer);
  *op = (serve_op){0};
}
