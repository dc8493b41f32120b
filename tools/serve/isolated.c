/* isolated.c: the process of one client's programs: confines itself, then answers requests one after the other until
 * the server closes the socket. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "device.pb-c.h"
#include "serve/grpc.h"
#include "serve/isolate.h"
#include "serve/isolate_wire.h"

enum { BASE_MIB = 768 }; /* for the compiler, stacks and a message */

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif
#define DENY(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define NO(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), DENY(EPERM)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* No exec, no fork, no network, no writing to files: a program that escapes the verifier's limits can do little.
 * Threads and memory are what compiled code needs. */
static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#ifdef __x86_64__
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* x32 numbers system calls differently */
    DENY(EPERM),
    NO(fork),
    NO(vfork),
    NO(open),
    NO(creat),
    NO(unlink),
    NO(rename),
    NO(mkdir),
    NO(rmdir),
    NO(chmod),
    NO(symlink),
    NO(link),
#endif
    NO(execve),
    NO(execveat),
    NO(socket),
    NO(socketpair),
    NO(connect),
    NO(bind),
    NO(listen),
    NO(accept),
    NO(accept4),
    NO(ptrace),
    NO(process_vm_readv),
    NO(process_vm_writev),
    NO(kill),
    NO(tkill),
    NO(unlinkat),
    NO(renameat2),
    NO(mkdirat),
    NO(fchmodat),
    NO(symlinkat),
    NO(linkat),
    NO(truncate),
    NO(mount),
    NO(unshare),
    NO(setns),
    NO(bpf),
    NO(keyctl),
    NO(openat2),
    NO(io_uring_setup),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
    DENY(ENOSYS), /* the C library then uses clone, whose flags the filter can read */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    DENY(EPERM),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 4),
    LOAD(args[2]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1),
    DENY(EACCES),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static bool limit(int what, rlim_t most) {
  const struct rlimit both = {most, most};
  return !setrlimit((__rlimit_resource_t)what, &both);
}

static bool confine(long long arrays_mib, long long program_mib) {
  const rlim_t memory = ((rlim_t)arrays_mib * 2 + (rlim_t)program_mib + BASE_MIB)
                        << 20; /* an upload is allocated before it is counted */
  const struct sock_fprog program = {sizeof filter / sizeof *filter, (struct sock_filter *)(uintptr_t)filter};
  return !prctl(PR_SET_PDEATHSIG, SIGKILL) && limit(RLIMIT_DATA, memory) && limit(RLIMIT_CORE, 0) &&
         limit(RLIMIT_FSIZE, 0) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_DUMPABLE, 0) &&
         !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool move(bool sends, void *data, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t now = sends ? send(ISOLATE_FD, (const char *)data + at, size - at, MSG_NOSIGNAL)
                              : recv(ISOLATE_FD, (char *)data + at, size - at, 0);
    if (now > 0)
      at += (size_t)now;
    else if (now == 0 || errno != EINTR)
      return false;
  }
  return true;
}

/* Receives the array that follows its type and shape. False: the socket is closed. */
static bool receive_array(const char *about, const isolate_head *head, ten_tensor **out, ten_status **out_status) {
  Tenfold__Device__V1__DownloadResponse *message = (Tenfold__Device__V1__DownloadResponse *)serve_grpc_unpack(
      &tenfold__device__v1__download_response__descriptor, about, head->size);
  *out_status = message ? serve_tensor_make(message->tensor, head->room, NULL, out)
                        : ten_error(TEN_LIMIT, "no memory for an array in the program's process");
  if (message) protobuf_c_message_free_unpacked(&message->base, NULL);
  if (!*out_status && (*out)->bytes == head->data_size) return move(false, (*out)->data, head->data_size);
  char scrap[4096];
  for (uint64_t left = head->data_size; left;) {
    const size_t now = left < sizeof scrap ? (size_t)left : sizeof scrap;
    if (!move(false, scrap, now)) return false;
    left -= now;
  }
  return true;
}

typedef struct question {
  serve_tables *tables;
  const isolate_head *head;
  const char *message;
  ten_tensor *array;
  serve_op op;
} question;

static ten_status *answer_body(void *argument) {
  question *q = argument;
  q->tables->bytes_most = q->head->room;
  const bool uploads = q->head->kind == SERVE_OP_UPLOAD;
  TEN_TRY(serve_op_init(&q->op, (serve_op_kind)q->head->kind, uploads ? NULL : q->message, q->head->size));
  q->op.tensor = q->array;
  q->array = NULL;
  TEN_TRY(serve_op_begin(q->tables, &q->op));
  TEN_TRY(serve_op_run(q->tables, &q->op));
  TEN_TRY(serve_op_end(q->tables, &q->op));
  if (q->op.kind == SERVE_OP_DOWNLOAD) serve_download_pack(q->op.tensor, false, &q->op.answer, &q->op.answer_size);
  return NULL;
}

/* One request; false: there are no more. */
static bool answer(serve_tables *tables) {
  isolate_head head;
  if (!move(false, &head, sizeof head) || head.kind >= SERVE_OP_COUNT) return false;
  char *message = malloc(head.size + 1);
  if (!message || !move(false, message, head.size)) return false;
  question q = {.tables = tables, .head = &head, .message = message};
  ten_status *status = NULL;
  if (head.kind == SERVE_OP_UPLOAD && !receive_array(message, &head, &q.array, &status)) return false;
  if (!status) status = ten_recover("running a program", answer_body, &q);
  free(message);
  const bool gives = !status && q.op.kind == SERVE_OP_DOWNLOAD;
  isolate_head back = {.code = status ? (uint32_t)ten_status_code(status) : 0,
                       .size = status ? strlen(ten_status_text(status)) : q.op.answer_size,
                       .data_size = gives ? q.op.tensor->bytes : 0,
                       .bytes = tables->bytes};
  bool sent = move(true, &back, sizeof back) &&
              move(true, status ? (char *)(uintptr_t)ten_status_text(status) : q.op.answer, back.size);
  if (sent && gives) sent = move(true, q.op.tensor->data, q.op.tensor->bytes);
  ten_status_free(status);
  ten_tensor_release(q.array);
  serve_op_free(&q.op);
  return sent;
}

int serve_isolated_main(int argc, char **argv) {
  if (argc != 6) return 2;
  const long long arrays = atoll(argv[2]), program = atoll(argv[3]);
  if (!confine(arrays, program)) return 3;
  serve_tables tables = {.work_most = (size_t)program << 20, .device = argv[4], .allow_compiled = *argv[5] == '1'};
  while (answer(&tables)) {
  }
  return 0;
}
