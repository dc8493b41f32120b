/* device.c: the remote device: compiles programs of clients and runs them on arrays that stay here. The objects of a
 * connection are private: numbers of arrays and programs mean nothing on another, and all are freed with the
 * connection. Sessions are accessed on the loop's thread only; compiling and running happen on a worker, or in a
 * separate process per client (--isolate). */
#include "serve/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.pb-c.h"
#include "serve/server.h"
#include "tenfold/version.h"

enum { PROTOCOL = 1 };

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

static size_t most_arrays(const serve_server *server) { return (size_t)server->options.max_arrays << 20; }

size_t serve_session_room(const serve_session *session) {
  size_t room = most_arrays(session->server);
  const serve_token *token = session->token ? &session->server->tokens[session->token - 1] : NULL;
  if (token && token->arrays_most) { /* minus the arrays of its other connections */
    const size_t others = token->arrays - session->counted;
    const size_t left = token->arrays_most > others ? token->arrays_most - others : 0;
    if (left < room) room = left;
  }
  return room > session->reserved ? room - session->reserved : 0;
}

void serve_session_count(serve_session *session) {
  if (!session->worker) session->arrays = session->tables.bytes;
  const size_t now = session->arrays + session->reserved;
  if (session->token) {
    serve_token *token = &session->server->tokens[session->token - 1];
    token->arrays = token->arrays - session->counted + now;
  }
  session->counted = now;
}

bool serve_session_is_used(const serve_session *session) {
  return session && (session->worker || session->tables.arrays.live || session->tables.programs.live);
}

void serve_session_abandon(serve_session *session) {
  if (session && session->worker) serve_worker_kill(session->worker);
}

void serve_session_free(serve_session *session) {
  if (!session) return;
  if (session->worker) session->server->processes--;
  serve_worker_free(session->worker);
  serve_tables_free(&session->tables);
  session->arrays = session->reserved = 0;
  session->worker = NULL;
  serve_session_count(session);
  free(session);
}

static ten_status *session_make(serve_exchange *exchange) {
  serve_server *server = exchange->server;
  const serve_options *o = &server->options;
  serve_worker *worker = NULL;
  if (o->isolate && server->processes >= (size_t)o->max_processes)
    return ten_error(TEN_LIMIT, "%zu clients have processes, there can be no more (--max-processes)",
                     server->processes);
  if (o->isolate) TEN_TRY(serve_worker_start(o, &worker));
  serve_session *session = ten_alloc(sizeof *session);
  *session = (serve_session){.server = server, .worker = worker, .token = exchange->token};
  session->tables.device = o->device;
  session->tables.work_most = (size_t)o->max_program_memory << 20;
  session->tables.allow_compiled = o->allow_compiled;
  session->tables.keeps_spare = !worker && !(exchange->token && server->tokens[exchange->token - 1].arrays_most);
  if (worker) server->processes++;
  exchange->conn->session = session;
  return NULL;
}

serve_session *serve_session_of(serve_exchange *exchange) {
  if (!exchange->server->options.allow_programs) {
    serve_grpc_end(exchange, GRPC_PERMISSION_DENIED,
                   "clients may not send programs; start the server with --allow-programs");
    return NULL;
  }
  ten_status *status = exchange->conn->session ? NULL : session_make(exchange);
  if (status) {
    serve_grpc_fail(exchange, status);
    return NULL;
  }
  if (exchange->conn->session->token == exchange->token) return exchange->conn->session;
  serve_grpc_end(exchange, GRPC_PERMISSION_DENIED, "what this connection has belongs to another token");
  return NULL;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

typedef struct work {
  serve_job job;            /* first */
  serve_exchange *exchange; /* retained */
  serve_session *session;   /* of the exchange's connection */
  bool in_parts;            /* a download's answer is a stream */
  size_t reserved;          /* of the session, for an upload */
  serve_op op;
  serve_question question; /* instead, with --isolate */
  char *body;              /* owned: the request is a view of it */
  size_t body_capacity;
  ten_status *status;
} work;

static void work_run(serve_job **jobs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    work *w = (work *)jobs[i];
    w->status = w->session->worker ? serve_worker_ask(w->session->worker, &w->question)
                                   : serve_op_run(&w->session->tables, &w->op);
  }
}

static void work_free(work *w) {
  w->exchange->server->memory -= w->body_capacity;
  free(w->body);
  free(w->question.answer);
  ten_tensor_release(w->question.tensor);
  serve_op_free(&w->op);
  ten_status_free(w->status);
  free(w);
}

static ten_status *answer_download(serve_exchange *exchange, ten_tensor *tensor, bool in_parts) {
  TEN_RECOVER("sending an array");
  if (in_parts) {
    serve_download_start(exchange, tensor);
    return NULL;
  }
  if (tensor->bytes > (size_t)exchange->server->options.max_body << 20)
    return ten_error(TEN_LIMIT, "the array has %zu bytes, more than --max-body; use DownloadStream", tensor->bytes);
  char *data;
  size_t size;
  serve_download_pack(tensor, true, &data, &size);
  serve_grpc_send(exchange, data, size);
  serve_grpc_end(exchange, GRPC_OK, NULL);
  return NULL;
}

static ten_status *answer(work *w) {
  const bool isolated = w->session->worker;
  char **text = isolated ? &w->question.answer : &w->op.answer;
  const size_t size = isolated ? w->question.answer_size : w->op.answer_size;
  if ((isolated ? w->question.kind : w->op.kind) == SERVE_OP_DOWNLOAD)
    return answer_download(w->exchange, isolated ? w->question.tensor : w->op.tensor, w->in_parts);
  if (size > (size_t)w->exchange->server->options.max_body << 20)
    return ten_error(TEN_LIMIT, "the results have %zu bytes, more than --max-body; let them stay", size);
  serve_grpc_send(w->exchange, *text, size);
  *text = NULL;
  serve_grpc_end(w->exchange, GRPC_OK, NULL);
  return NULL;
}

/* Ends the operation and answers; frees `w`. */
static void work_finish(work *w) {
  serve_exchange *exchange = w->exchange;
  serve_session *session = w->session;
  session->reserved -= w->reserved;
  session->tables.bytes_most = serve_session_room(session);
  if (!w->status && !session->worker && !exchange->abandoned) w->status = serve_op_end(&session->tables, &w->op);
  if (session->worker && !w->status) session->arrays = w->question.bytes;
  serve_session_count(session);
  if (!w->status && !exchange->abandoned) w->status = answer(w);
  if (w->status) serve_grpc_end(exchange, serve_grpc_code(w->status), ten_status_text(w->status));
  if (session->worker && serve_worker_is_dead(session->worker)) exchange->conn->retired = true;
  work_free(w);
}

static void work_end(serve_post *post) {
  work *w = (work *)post;
  serve_exchange *exchange = w->exchange;
  serve_conn *conn = exchange->conn;
  work_finish(w);
  serve_exchange_release(exchange);
  serve_conn_resume(conn);
}

/* Queues expensive operations, runs the others at once. */
static void work_start(work *w) {
  serve_session *session = w->session;
  const serve_op_kind kind = w->op.kind;
  session->tables.bytes_most = serve_session_room(session) + w->reserved;
  w->question.room = session->tables.bytes_most;
  if (!session->worker) {
    if (!w->status) w->status = serve_op_begin(&session->tables, &w->op);
    serve_session_count(session);
    if (w->status || (kind != SERVE_OP_COMPILE && kind != SERVE_OP_EXECUTE)) {
      work_finish(w);
      return;
    }
  }
  w->exchange->busy = true;
  w->job.run = work_run;
  w->job.post.run = work_end;
  serve_exchange_retain(w->exchange);
  if (w->status || !serve_pool_add(&w->exchange->server->pool, &w->job)) {
    if (!w->status) w->status = ten_error(TEN_LIMIT, "the queue is full; try again later");
    serve_loop_post(&w->exchange->server->loop, &w->job.post);
  }
}

static work *work_new(serve_exchange *exchange, serve_session *session) {
  work *w = ten_alloc(sizeof *w);
  *w = (work){.exchange = exchange, .session = session};
  return w;
}

/* A call with its message, which is `size` bytes at `offset` of `body`. */
static void start(serve_exchange *exchange, serve_op_kind kind, bool in_parts, char *body, size_t offset, size_t size,
                  size_t capacity) {
  serve_session *session = serve_session_of(exchange);
  if (!session) {
    exchange->server->memory -= capacity;
    free(body);
    return;
  }
  work *w = work_new(exchange, session);
  w->in_parts = in_parts;
  w->status = serve_op_init(&w->op, kind, session->worker ? NULL : body + offset, size);
  if (session->worker) {
    w->question = (serve_question){.kind = kind, .request = body + offset, .size = size};
    w->body = body;
    w->body_capacity = capacity;
  } else { /* it is unpacked */
    exchange->server->memory -= capacity;
    free(body);
  }
  work_start(w);
}

void serve_device_add(serve_exchange *exchange, ten_tensor *tensor, size_t reserved) {
  serve_session *session = serve_session_of(exchange);
  if (!session) {
    exchange->conn->session->reserved -= reserved;
    ten_tensor_release(tensor);
    return;
  }
  work *w = work_new(exchange, session);
  w->reserved = reserved;
  w->status = serve_op_init(&w->op, SERVE_OP_UPLOAD, NULL, 0);
  w->question.kind = SERVE_OP_UPLOAD;
  *(session->worker ? &w->question.tensor : &w->op.tensor) = tensor;
  work_start(w);
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static void hello(serve_exchange *exchange, const ProtobufCMessage *message) {
  const Tenfold__Device__V1__HelloRequest *request = (const Tenfold__Device__V1__HelloRequest *)message;
  if (!serve_session_of(exchange)) return;
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

static void compile(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  start(exchange, SERVE_OP_COMPILE, false, body, offset, size, capacity);
}

static void execute(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  start(exchange, SERVE_OP_EXECUTE, false, body, offset, size, capacity);
}

static void download(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  start(exchange, SERVE_OP_DOWNLOAD, false, body, offset, size, capacity);
}

static void download_stream(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  start(exchange, SERVE_OP_DOWNLOAD, true, body, offset, size, capacity);
}

static void release(serve_exchange *exchange, char *body, size_t offset, size_t size, size_t capacity) {
  start(exchange, SERVE_OP_FREE, false, body, offset, size, capacity);
}

static void upload(serve_exchange *exchange, const ProtobufCMessage *message) {
  serve_session *session = serve_session_of(exchange);
  if (!session) return;
  ten_tensor *tensor = NULL;
  const size_t room = serve_session_room(session), taken = session->arrays;
  ten_status *status = serve_tensor_copy(((const Tenfold__Device__V1__UploadRequest *)message)->tensor,
                                         room > taken ? room - taken : 0, &tensor);
  if (!status) {
    serve_device_add(exchange, tensor, 0);
    return;
  }
  ten_tensor_release(tensor);
  serve_grpc_fail(exchange, status);
}

#define PATH(name) "/tenfold.device.v1.Device/" name
const serve_method serve_device_methods[] = {
    {.path = PATH("Execute"), .start = execute},
    {.path = PATH("Compile"), .start = compile},
    {.path = PATH("Download"), .start = download},
    {.path = PATH("DownloadStream"), .start = download_stream},
    {.path = PATH("Free"), .start = release},
    {.path = PATH("UploadStream"), .streams = true, .take = serve_upload_take, .finish = serve_upload_finish},
    {.path = PATH("Upload"), .request = &tenfold__device__v1__upload_request__descriptor, .answer = upload},
    {.path = PATH("Hello"), .request = &tenfold__device__v1__hello_request__descriptor, .answer = hello},
    {0},
};
