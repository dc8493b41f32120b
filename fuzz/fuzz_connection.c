/* fuzz_connection.c: a connection of HTTP/2 whose client does what it likes: the input is read as choices of frames:
 * calls of any method, messages whole and in pieces, resets, windows, raw bytes. Models and programs run on the
 * interpreter, jobs when a choice says so. Nothing may be left when the connection closes. */
#include <stdlib.h>
#include <sys/socket.h>

#include "device.pb-c.h"
#include "input.h"
#include "serve/call.h"
#include "serve/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STREAMS = 8, MESSAGE_MOST = 255 };

static const char program[] =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
static serve_server server;

static void start(void) {
  char path[40], named[64];
  (void)fuzz_file(program, sizeof program - 1, path);
  server.options = (serve_options){.max_body = 1,
                                   .max_memory = 4,
                                   .queue = 16,
                                   .max_arrays = 1,
                                   .timeout = 30,
                                   .idle = 30,
                                   .allow_programs = true,
                                   .allow_load = true,
                                   .device = "interp",
                                   .max_program_memory = 16,
                                   .max_connections = 4};
  server.log_fd = -1;
  serve_repository_init(&server.repository);
  serve_shared_init(&server.shared, true);
  server.repository.options = (serve_model_options){.device = "interp", .max_shapes = 1};
  snprintf(named, sizeof named, "m=%s", path);
  ten_status *status = serve_repository_add(&server.repository, named);
  if (!status) status = serve_loop_open(&server.loop);
  if (!status) status = serve_pool_open(&server.pool, &server.loop, 0, 16);
  if (!status) status = serve_pool_open(&server.readers, &server.loop, 0, 16);
  if (!status) return;
  fprintf(stderr, "%s\n", ten_status_text(status));
  abort();
}

/* What the server's threads would do. */
static void drain(void) {
  while (server.readers.first || server.pool.first || server.loop.first) {
    serve_job *job = server.readers.first ? server.readers.first : server.pool.first;
    if (job) {
      (void)serve_pool_remove(job);
      job->cancelled = false;
      job->run(&job, 1);
      job->post.run(&job->post);
    }
    serve_post *post = server.loop.first;
    server.loop.first = server.loop.last = NULL;
    while (post) {
      serve_post *next = post->next;
      post->run(post);
      post = next;
    }
  }
}

static void add_frame(ten_buf *out, uint32_t kind, uint32_t flags, uint32_t stream, ten_str payload) {
  const unsigned char head[9] = {(unsigned char)(payload.size >> 16),
                                 (unsigned char)(payload.size >> 8),
                                 (unsigned char)payload.size,
                                 (unsigned char)kind,
                                 (unsigned char)flags,
                                 0,
                                 0,
                                 (unsigned char)(stream >> 8),
                                 (unsigned char)stream};
  ten_buf_addstr(out, (ten_str){(const char *)head, sizeof head});
  ten_buf_addstr(out, payload);
}

static const char *path_of(uint32_t which) {
  static const serve_method *const tables[] = {serve_device_methods, serve_inference_methods, serve_health_methods,
                                               serve_reflection_methods};
  const serve_method *table = tables[which % 4];
  size_t count = 0;
  while (table[count].path) count++;
  return table[which / 4 % count].path;
}

static void add_call(ten_buf *out, fuzz_bytes *in, uint32_t stream) {
  const char *path = fuzz_byte(in) % 16 ? path_of(fuzz_byte(in)) : "/v2/models/m/infer";
  ten_buf block = {0};
  ten_buf_addstr(&block, (ten_str){"\x83\x86\x01\x01"
                                   "a\x04",
                                   6});
  ten_buf_addc(&block, (char)strlen(path));
  ten_buf_adds(&block, path);
  if (*path != '/' || path[1] != 'v')
    ten_buf_addstr(&block, (ten_str){"\x0f\x10\x10"
                                     "application/grpc",
                                     19});
  add_frame(out, 1, fuzz_byte(in) % 8 ? 4 : 5, stream, (ten_str){block.data, block.size});
  ten_buf_free(&block);
}

/* A message with its prefix, or a part of one. */
static void add_message(ten_buf *out, fuzz_bytes *in, uint32_t stream) {
  ten_buf message = {0};
  const uint32_t way = fuzz_byte(in);
  const ten_str text = fuzz_text(in, MESSAGE_MOST);
  const unsigned char prefix[5] = {way == 255, 0, 0, 0, (unsigned char)(text.size + (way == 254))};
  if (way % 8) ten_buf_addstr(&message, (ten_str){(const char *)prefix, 5});
  ten_buf_addstr(&message, text);
  if (way % 8 == 1 && text.size) message.size -= 1;
  add_frame(out, 0, way & 32 ? 1 : 0, stream, (ten_str){message.data, message.size});
  ten_buf_free(&message);
}

/* A program and a run of it, so that what follows can name both: numbers 1 and 2. */
static void add_program(ten_buf *out, uint32_t stream) {
  Tenfold__Device__V1__CompileRequest request = TENFOLD__DEVICE__V1__COMPILE_REQUEST__INIT;
  request.program = (ProtobufCBinaryData){sizeof program - 1, (uint8_t *)(uintptr_t)program};
  const size_t size = protobuf_c_message_get_packed_size(&request.base);
  ten_buf message = {0}, block = {0};
  const unsigned char prefix[5] = {0, 0, 0, (unsigned char)(size >> 8), (unsigned char)size};
  ten_buf_addstr(&message, (ten_str){(const char *)prefix, 5});
  uint8_t *packed = malloc(size);
  protobuf_c_message_pack(&request.base, packed);
  ten_buf_addstr(&message, (ten_str){(const char *)packed, size});
  free(packed);
  static const char path[] = "/tenfold.device.v1.Device/Compile";
  ten_buf_addstr(&block, (ten_str){"\x83\x86\x01\x01"
                                   "a\x04",
                                   6});
  ten_buf_addc(&block, (char)(sizeof path - 1));
  ten_buf_adds(&block, path);
  ten_buf_addstr(&block, (ten_str){"\x0f\x10\x10"
                                   "application/grpc",
                                   19});
  add_frame(out, 1, 4, stream, (ten_str){block.data, block.size});
  add_frame(out, 0, 1, stream, (ten_str){message.data, message.size});
  ten_buf_free(&block);
  ten_buf_free(&message);
}

static void add_choice(ten_buf *out, fuzz_bytes *in, uint32_t *next_stream) {
  const uint32_t stream = *next_stream > 2 ? *next_stream - 2 - 2 * (fuzz_byte(in) % STREAMS) : 1;
  switch (fuzz_byte(in) % 12) {
    case 0:
    case 1:
    case 2:
      add_call(out, in, *next_stream);
      *next_stream += 2;
      break;
    case 3:
    case 4:
    case 5:
    case 6: add_message(out, in, stream & 0xffff); break;
    case 7: add_frame(out, 3, 0, stream & 0xffff, (ten_str){"\0\0\0\x08", 4}); break;
    case 8: add_frame(out, 8, 0, fuzz_byte(in) % 2 ? stream & 0xffff : 0, (ten_str){"\0\1\0\0", 4}); break;
    case 9:
      add_program(out, *next_stream);
      *next_stream += 2;
      break;
    case 10: add_frame(out, fuzz_byte(in) % 11, fuzz_byte(in), fuzz_byte(in) % 16, fuzz_text(in, 64)); break;
    default: ten_buf_addstr(out, fuzz_text(in, 32)); break;
  }
}

static void run_connection(fuzz_bytes *in, int fd, int other) {
  serve_conn *conn = ten_alloc(sizeof *conn);
  *conn = (serve_conn){.watch.fd = fd, .server = &server, .state = CONN_HTTP2};
  server.conns = conn;
  server.conn_count = 1;
  ten_buf out = {0};
  ten_buf_addstr(&out, (ten_str){"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33});
  bool open = serve_h2_open(conn);
  char scrap[4096];
  uint32_t next_stream = 1;
  for (int i = 0; i < 64 && open && !conn->closed; i++) {
    open = serve_h2_receive(conn, out.data, out.size);
    serve_conn_flush(conn);
    while (recv(other, scrap, sizeof scrap, MSG_DONTWAIT) > 0) continue;
    if (fuzz_byte(in) % 4) drain();
    ten_buf_free(&out);
    out = (ten_buf){0};
    if (!in->size) break;
    add_choice(&out, in, &next_stream);
  }
  ten_buf_free(&out);
  serve_conn_close(conn);
  drain();
  serve_conn_reap(conn);
  if (server.conns || server.conn_count || server.memory) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!server.options.queue) start();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) return 0;
  fuzz_bytes in = {data, size};
  run_connection(&in, ends[0], ends[1]);
  close(ends[1]);
  return 0;
}
