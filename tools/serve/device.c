/* device.c: the remote device: compiles programs of clients and runs them on arrays that stay here. What a connection
 * has is its own: numbers of arrays and programs mean nothing on another, and all of it goes when the connection does.
 * Tables are touched on the loop's thread only; compiling and running are a worker's. */
#include "serve/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.pb-c.h"
#include "driver/devices.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "tenfold/version.h"

enum { PROTOCOL = 1, ARRAYS_MOST = 1 << 20, PROGRAMS_MOST = 1 << 10 };

typedef Tenfold__Device__V1__Tensor tensor_message;

/* A compiled program; counted, for it may be freed while it runs. */
typedef struct program {
  int references;
  ten_module *module;         /* owned */
  ten_executable *executable; /* owned */
} program;

typedef struct slot {
  uint64_t number; /* 0: free */
  void *thing;     /* ten_tensor or program, retained */
} slot;

/* Open addressing by number, which only grows. */
typedef struct table {
  slot *slots; /* owned */
  size_t count, capacity;
} table;

struct serve_session {
  table arrays, programs;
  uint64_t next;
  size_t bytes;
};

static slot *table_find(const table *t, uint64_t number) {
  for (size_t i = number; t->capacity; i++) {
    slot *at = &t->slots[i & (t->capacity - 1)];
    if (at->number == number && at->thing) return at;
    if (!at->number) return NULL;
  }
  return NULL;
}

static void table_add(table *t, uint64_t number, void *thing) {
  if (t->count * 2 >= t->capacity) { /* numbers that were freed stay as marks until the table is made anew */
    size_t live = 0;
    for (size_t i = 0; i < t->capacity; i++) live += t->slots[i].thing != NULL;
    table grown = {.capacity = 64, .count = live};
    while (grown.capacity < live * 4) grown.capacity *= 2;
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
  size_t k = number;
  while (t->slots[k & (t->capacity - 1)].number) k++;
  t->slots[k & (t->capacity - 1)] = (slot){number, thing};
  t->count++;
}

static void program_release(program *p) {
  if (!p || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL)) return;
  ten_executable_release(p->executable);
  if (p->module) ten_module_destroy(p->module);
  free(p);
}

void serve_session_free(serve_session *session) {
  if (!session) return;
  for (size_t i = 0; i < session->arrays.capacity; i++) ten_tensor_release(session->arrays.slots[i].thing);
  for (size_t i = 0; i < session->programs.capacity; i++) program_release(session->programs.slots[i].thing);
  free(session->arrays.slots);
  free(session->programs.slots);
  free(session);
}

static size_t table_live(const table *t) {
  size_t live = 0;
  for (size_t i = 0; i < t->capacity; i++) live += t->slots[i].thing != NULL;
  return live;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

typedef struct work work;
struct work {
  serve_job job;             /* first */
  serve_exchange *exchange;  /* retained */
  ProtobufCMessage *message; /* owned: the request; inputs look into it */
  ten_status *(*run)(work *w);
  void (*done)(work *w); /* on the loop's thread, when there is no error */
  ten_status *status;
  program *program;               /* retained */
  ten_tensor **inputs, **outputs; /* owned */
  size_t input_count, output_count;
  ten_checks checks; /* of a program with expectations */
};

static ten_status *work_body(void *argument) {
  work *w = argument;
  return w->run(w);
}

static void work_run(serve_job **jobs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    work *w = (work *)jobs[i];
    w->status = ten_recover("serving a device", work_body, w);
  }
}

static void work_free(work *w) {
  if (w->inputs) ten_tensors_release(w->inputs, w->input_count);
  if (w->outputs) ten_tensors_release(w->outputs, w->output_count);
  free(w->inputs);
  free(w->outputs);
  program_release(w->program);
  ten_checks_destroy(&w->checks);
  protobuf_c_message_free_unpacked(w->message, NULL);
  ten_status_free(w->status);
  free(w);
}

static void work_end(serve_post *post) {
  work *w = (work *)post;
  serve_exchange *exchange = w->exchange;
  serve_conn *conn = exchange->conn;
  if (w->status) {
    serve_grpc_end(exchange, serve_grpc_code(w->status), ten_status_text(w->status));
  } else if (!exchange->abandoned) {
    w->done(w);
  }
  work_free(w);
  serve_exchange_release(exchange);
  serve_conn_resume(conn);
}

static void work_start(work *w) {
  w->job.run = work_run;
  w->job.post.run = work_end;
  w->job.deadline = 0;
  serve_exchange_retain(w->exchange);
  if (w->status || !serve_pool_add(&w->exchange->server->pool, &w->job)) {
    if (!w->status) w->status = ten_error(TEN_LIMIT, "the queue is full; try again later");
    serve_loop_post(&w->exchange->server->loop, &w->job.post);
  }
}

static serve_session *session_of(serve_exchange *exchange) {
  if (!exchange->conn->session) {
    exchange->conn->session = ten_alloc(sizeof *exchange->conn->session);
    *exchange->conn->session = (serve_session){.next = 1};
  }
  return exchange->conn->session;
}

static bool allowed(serve_exchange *exchange) {
  if (exchange->server->options.allow_programs) return true;
  serve_grpc_end(exchange, GRPC_PERMISSION_DENIED,
                 "clients may not send programs; start the server with --allow-programs");
  return false;
}

static bool has_room(serve_exchange *exchange, size_t bytes) {
  const serve_session *session = session_of(exchange);
  const size_t most = (size_t)exchange->server->options.max_arrays << 20;
  return bytes <= most && session->bytes <= most - bytes && session->arrays.count < ARRAYS_MOST;
}

static uint64_t array_add(serve_session *session, ten_tensor *tensor) {
  const uint64_t number = session->next++;
  table_add(&session->arrays, number, ten_tensor_retain(tensor));
  session->bytes += tensor->bytes;
  return number;
}

static void array_drop(serve_session *session, uint64_t number) {
  slot *at = table_find(&session->arrays, number);
  if (!at) return;
  session->bytes -= ((ten_tensor *)at->thing)->bytes;
  ten_tensor_release(at->thing);
  at->thing = NULL;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* A view of the message's bytes. */
static ten_status *tensor_read(const tensor_message *m, ten_tensor **out) {
  *out = NULL;
  const ten_dtype dtype = m ? ten_dtype_parse(m->dtype, strlen(m->dtype)) : TEN_DTYPE_NONE;
  if (dtype == TEN_DTYPE_NONE) return ten_error(TEN_INVALID, "a tensor of unknown type '%.40s'", m ? m->dtype : "");
  if (m->n_dims > TEN_RANK_MAX) return ten_error(TEN_INVALID, "a tensor of %zu dimensions", m->n_dims);
  size_t bytes = ten_dtype_bytes(dtype);
  for (size_t i = 0; i < m->n_dims; i++)
    if (m->dims[i] < 0 || !ten_mul(bytes, (size_t)m->dims[i], &bytes))
      return ten_error(TEN_INVALID, "a tensor of wrong dimensions");
  if (bytes != m->data.len)
    return ten_error(TEN_INVALID, "a tensor of %zu bytes, its shape and type take %zu", m->data.len, bytes);
  for (size_t i = 0; dtype == TEN_I1 && i < bytes; i++)
    if (m->data.data[i] > 1) return ten_error(TEN_INVALID, "a value of i1 is %u", m->data.data[i]);
  return ten_tensor_from_memory(dtype, (uint32_t)m->n_dims, m->dims, m->data.data, NULL, NULL, out);
}

static tensor_message tensor_write(const ten_tensor *tensor, bool with_data) {
  tensor_message m = TENFOLD__DEVICE__V1__TENSOR__INIT;
  m.dtype = (char *)(uintptr_t)ten_dtype_name(tensor->dtype);
  m.n_dims = tensor->rank;
  m.dims = (int64_t *)(uintptr_t)tensor->dims;
  if (with_data) m.data = (ProtobufCBinaryData){tensor->bytes, tensor->data};
  return m;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static void hello(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Tenfold__Device__V1__HelloRequest *request = (const Tenfold__Device__V1__HelloRequest *)message;
  if (!allowed(exchange)) return;
  if (request->oldest > PROTOCOL || request->newest < PROTOCOL) {
    char text[160];
    snprintf(text, sizeof text, "this server speaks version %d of the device protocol, the client %u to %u", PROTOCOL,
             request->oldest, request->newest);
    serve_grpc_end(exchange, GRPC_UNIMPLEMENTED, text);
    return;
  }
  Tenfold__Device__V1__HelloResponse response = TENFOLD__DEVICE__V1__HELLO_RESPONSE__INIT;
  char server[64];
  snprintf(server, sizeof server, "tenfold %s", ten_version());
  response.version = PROTOCOL;
  response.server = server;
  response.device = (char *)(uintptr_t)(exchange->server->options.device ? exchange->server->options.device : "cpu");
  serve_grpc_answer(exchange, &response.base);
}

static ten_status *compile_run(work *w) {
  const Tenfold__Device__V1__CompileRequest *request = (const Tenfold__Device__V1__CompileRequest *)w->message;
  const char *data = (const char *)request->program.data;
  const size_t size = request->program.len;
  const char *device = w->exchange->server->options.device;
  const ten_backend *backend;
  ten_settings settings;
  TEN_TRY(ten_settings_parse(*request->precision ? request->precision : NULL, request->exact_conv, &settings));
  TEN_TRY(ten_backend_open(device ? device : "cpu", &backend));
  TEN_TRY(ten_bytecode_is(data, size) ? ten_bytecode_read(data, size, "<client>", false, &w->program->module)
                                      : ten_text_parse(data, size, "<client>", &w->program->module));
  TEN_TRY(ten_verify(w->program->module));
  ten_op *func = ten_module_entry(w->program->module, ten_str_of(*request->entry ? request->entry : NULL));
  if (!func) return ten_error(TEN_NOT_FOUND, "the program has no function @%s", request->entry);
  return ten_compile(backend, w->program->module, func, &settings, &w->program->executable);
}

static void compile_done(work *w) {
  serve_session *session = session_of(w->exchange);
  Tenfold__Device__V1__CompileResponse response = TENFOLD__DEVICE__V1__COMPILE_RESPONSE__INIT;
  response.program = session->next++;
  response.inputs = w->program->executable->input_count;
  response.outputs = w->program->executable->output_count;
  __atomic_add_fetch(&w->program->references, 1, __ATOMIC_RELAXED);
  table_add(&session->programs, response.program, w->program);
  serve_grpc_answer(w->exchange, &response.base);
}

static work *work_make(serve_exchange *exchange, const ProtobufCMessageDescriptor *descriptor, char *body,
                       size_t offset, size_t size, size_t capacity) {
  work *w = ten_alloc(sizeof *w);
  *w = (work){.exchange = exchange};
  ten_checks_init(&w->checks);
  w->message = serve_grpc_unpack(descriptor, body + offset, size);
  if (!w->message) w->status = ten_error(TEN_INVALID, "the message cannot be read");
  free(body);
  exchange->server->memory -= capacity;
  return w;
}

static void compile(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  work *w = work_make(exchange, &tenfold__device__v1__compile_request__descriptor, body, offset, size, capacity);
  if (!allowed(exchange)) {
    work_free(w);
    return;
  }
  if (!w->status && table_live(&session_of(exchange)->programs) >= PROGRAMS_MOST)
    w->status = ten_error(TEN_LIMIT, "%d programs are compiled, there can be no more", PROGRAMS_MOST);
  w->program = ten_alloc(sizeof *w->program);
  *w->program = (program){.references = 1};
  w->run = compile_run;
  w->done = compile_done;
  work_start(w);
}

static void upload(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  work *w = work_make(exchange, &tenfold__device__v1__upload_request__descriptor, body, offset, size, capacity);
  ten_tensor *view = NULL, *own = NULL;
  if (allowed(exchange) && !w->status) {
    w->status = tensor_read(((const Tenfold__Device__V1__UploadRequest *)w->message)->tensor, &view);
    if (!w->status && !has_room(exchange, view->bytes))
      w->status = ten_error(TEN_LIMIT, "no room for %zu bytes more (--max-arrays)", view->bytes);
    if (!w->status) w->status = ten_tensor_create(view->dtype, view->rank, view->dims, &own);
  }
  if (own) {
    memcpy(own->data, view->data, own->bytes);
    Tenfold__Device__V1__UploadResponse response = TENFOLD__DEVICE__V1__UPLOAD_RESPONSE__INIT;
    response.array = array_add(session_of(exchange), own);
    serve_grpc_answer(exchange, &response.base);
  } else if (w->status) {
    serve_grpc_end(exchange, serve_grpc_code(w->status), ten_status_text(w->status));
  }
  ten_tensor_release(view);
  ten_tensor_release(own);
  work_free(w);
}

static ten_status *execute_run(work *w) {
  const bool counted = ((const Tenfold__Device__V1__ExecuteRequest *)w->message)->checks;
  const ten_run_options options = {.checks = counted ? &w->checks : NULL};
  return ten_execute(w->program->executable, w->inputs, w->input_count, &options, w->outputs);
}

static void execute_done(work *w) {
  const Tenfold__Device__V1__ExecuteRequest *request = (const Tenfold__Device__V1__ExecuteRequest *)w->message;
  serve_session *session = session_of(w->exchange);
  typedef Tenfold__Device__V1__Result result_message;
  size_t bytes = 0;
  for (size_t i = 0; i < w->output_count; i++) bytes += w->outputs[i]->bytes;
  if (request->stay && !has_room(w->exchange, bytes)) {
    serve_grpc_end(w->exchange, GRPC_RESOURCE_EXHAUSTED, "no room for the results (--max-arrays)");
    return;
  }
  for (size_t i = 0; i < request->n_arguments; i++)
    if (request->arguments[i]->donated) array_drop(session, request->arguments[i]->array);
  Tenfold__Device__V1__ExecuteResponse response = TENFOLD__DEVICE__V1__EXECUTE_RESPONSE__INIT;
  result_message *results = ten_alloc((w->output_count + 1) * sizeof *results),
                 **all = ten_alloc((w->output_count + 1) * sizeof *all);
  tensor_message *tensors = ten_alloc((w->output_count + 1) * sizeof *tensors);
  for (size_t i = 0; i < w->output_count; i++) {
    results[i] = (result_message)TENFOLD__DEVICE__V1__RESULT__INIT;
    tensors[i] = tensor_write(w->outputs[i], !request->stay);
    results[i].tensor = &tensors[i];
    if (request->stay) results[i].array = array_add(session, w->outputs[i]);
    all[i] = &results[i];
  }
  response.checks = w->checks.run;
  char **failures = ten_alloc((w->checks.failures.count + 1) * sizeof *failures);
  for (size_t i = 0; i < w->checks.failures.count; i++)
    failures[i] = (char *)(uintptr_t)ten_status_text(w->checks.failures.data[i]);
  response.n_failures = w->checks.failures.count;
  response.failures = failures;
  response.n_results = w->output_count;
  response.results = all;
  serve_grpc_answer(w->exchange, &response.base);
  free(failures);
  free(tensors);
  free(all);
  free(results);
}

static ten_status *execute_inputs(work *w, const serve_session *session) {
  const Tenfold__Device__V1__ExecuteRequest *request = (const Tenfold__Device__V1__ExecuteRequest *)w->message;
  const slot *found = table_find(&session->programs, request->program);
  if (!found)
    return ten_error(TEN_NOT_FOUND, "no program %llu on this connection", (unsigned long long)request->program);
  w->program = found->thing;
  __atomic_add_fetch(&w->program->references, 1, __ATOMIC_RELAXED);
  w->output_count = w->program->executable->output_count;
  w->outputs = ten_alloc((w->output_count + 1) * sizeof *w->outputs);
  memset(w->outputs, 0, (w->output_count + 1) * sizeof *w->outputs);
  w->input_count = request->n_arguments;
  w->inputs = ten_alloc((w->input_count + 1) * sizeof *w->inputs);
  memset(w->inputs, 0, (w->input_count + 1) * sizeof *w->inputs);
  for (size_t i = 0; i < request->n_arguments; i++) {
    const Tenfold__Device__V1__Argument *argument = request->arguments[i];
    const slot *array = argument->array ? table_find(&session->arrays, argument->array) : NULL;
    if (argument->array && !array)
      return ten_error(TEN_NOT_FOUND, "no array %llu on this connection", (unsigned long long)argument->array);
    if (array)
      w->inputs[i] = ten_tensor_retain(array->thing);
    else
      TEN_TRY(tensor_read(argument->tensor, &w->inputs[i]));
  }
  return NULL;
}

static void execute(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  work *w = work_make(exchange, &tenfold__device__v1__execute_request__descriptor, body, offset, size, capacity);
  if (!allowed(exchange)) {
    work_free(w);
    return;
  }
  if (!w->status) w->status = execute_inputs(w, session_of(exchange));
  w->run = execute_run;
  w->done = execute_done;
  work_start(w);
}

static void download(serve_exchange *exchange, const ProtobufCMessage *message) {
  const uint64_t number = ((const Tenfold__Device__V1__DownloadRequest *)message)->array;
  const slot *found = table_find(&session_of(exchange)->arrays, number);
  if (!found) {
    serve_grpc_fail(exchange, ten_error(TEN_NOT_FOUND, "no array %llu on this connection", (unsigned long long)number));
    return;
  }
  Tenfold__Device__V1__DownloadResponse response = TENFOLD__DEVICE__V1__DOWNLOAD_RESPONSE__INIT;
  tensor_message tensor = tensor_write(found->thing, true);
  response.tensor = &tensor;
  serve_grpc_answer(exchange, &response.base);
}

static void release(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Tenfold__Device__V1__FreeRequest *request = (const Tenfold__Device__V1__FreeRequest *)message;
  serve_session *session = session_of(exchange);
  for (size_t i = 0; i < request->n_arrays; i++) array_drop(session, request->arrays[i]);
  for (size_t i = 0; i < request->n_programs; i++) {
    slot *at = table_find(&session->programs, request->programs[i]);
    if (!at) continue;
    program_release(at->thing);
    at->thing = NULL;
  }
  Tenfold__Device__V1__FreeResponse response = TENFOLD__DEVICE__V1__FREE_RESPONSE__INIT;
  response.arrays_left = table_live(&session->arrays);
  response.bytes_left = session->bytes;
  serve_grpc_answer(exchange, &response.base);
}

#define PATH(name) "/tenfold.device.v1.Device/" name
const serve_method serve_device_methods[] = {
    {PATH("Execute"), false, NULL, NULL, execute},
    {PATH("Compile"), false, NULL, NULL, compile},
    {PATH("Upload"), false, NULL, NULL, upload},
    {PATH("Hello"), false, &tenfold__device__v1__hello_request__descriptor, hello, NULL},
    {PATH("Download"), false, &tenfold__device__v1__download_request__descriptor, download, NULL},
    {PATH("Free"), false, &tenfold__device__v1__free_request__descriptor, release, NULL},
    {0},
};
