/* cuda_stand_in.c: stands for libcuda.so.1 and libnvrtc.so where there is no GPU. Memory is the host's; kernels compute
 * nothing. What would run is written down, a line each, with the kernels' arguments, for test_cuda_graphs.py. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4096, ARGUMENTS = 64 };

typedef struct {
  char name[64];
  int arguments;
} function;

typedef struct {
  function *f;
  size_t number; /* in its graph; an executable graph has a copy of it there */
  unsigned blocks, threads, shared;
  uint64_t arguments[ARGUMENTS];
} node;

typedef struct {
  node *nodes[NODES]; /* of a graph; those of an executable graph are copies, in the same order */
  size_t count;
} graph;

typedef struct {
  void *f;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  void *other, *context;
} node_params;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  const void *attributes;
  unsigned attribute_count;
} launch_config;

static char text[1 << 22];
static size_t used;
static graph *capturing;
static node *last;
static int changeable = 1;

/* For the test: what was written down since the last time; whether graphs can be changed. */
const char *stand_in_log(void) {
  static char taken[sizeof text];
  memcpy(taken, text, used);
  taken[used] = 0;
  used = 0;
  return taken;
}
void stand_in_changeable(int on) { changeable = on; }

#define SAY(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))

static void run(const node *n) {
  SAY("%s %u %u", n->f->name, n->blocks, n->shared);
  for (int i = 0; i < n->f->arguments; i++) SAY(" %llu", (unsigned long long)n->arguments[i]);
  SAY("\n");
}

static void set(node *n, function *f, unsigned blocks, unsigned threads, unsigned shared, void **arguments) {
  n->f = f, n->blocks = blocks, n->threads = threads, n->shared = shared;
  for (int i = 0; i < f->arguments; i++) memcpy(&n->arguments[i], arguments[i], 8);
}

static int current, launched; /* devices: of the context, of the last kernel */
int stand_in_launched(void) { return launched; }

static int launch(function *f, unsigned blocks, unsigned threads, unsigned shared, void **arguments) {
  node *n = calloc(1, sizeof *n);
  set(n, f, blocks, threads, shared, arguments);
  launched = current;
  if (capturing) {
    n->number = capturing->count;
    capturing->nodes[capturing->count++] = last = n;
  } else {
    run(n);
    free(n);
  }
  return 0;
}

int cuInit(unsigned flags) { return (void)flags, 0; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGet(int *device, int index) { return *device = index, 0; }
int cuDeviceGetName(char *name, int size, int device) {
  return (void)device, snprintf(name, (size_t)size, "stand-in"), 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  return (void)device, *value = attribute == 75 ? 9 : 0, 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = 1 << 30, 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = text + device, 0; }
int cuCtxSetCurrent(void *context) { return current = (int)((char *)context - text), 0; }

int cuModuleLoadData(void **module, const void *code) { return *module = strdup(code), 0; }
int cuModuleUnload(void *module) { return free(module), 0; }
/* A kernel's arguments are counted in its source. */
int cuModuleGetFunction(void **out, void *module, const char *name) {
  char start[96];
  function *f = calloc(1, sizeof *f); /* never freed: modules live as long as the test */
  snprintf(f->name, sizeof f->name, "%s", name);
  snprintf(start, sizeof start, "void %s(", name);
  const char *at = strstr(module, start), *end = at ? strchr(at, ')') : NULL;
  if (!end) return 500;
  for (f->arguments = 1; at < end; at++) f->arguments += *at == ',';
  return *out = f, 0;
}
int cuFuncSetAttribute(void *f, int attribute, int value) { return (void)f, (void)attribute, (void)value, 0; }

/* For the test: bytes from which on an allocation fails; what the next wait for a stream gives. */
static size_t memory_most = (size_t)1 << 40;
static int stream_error;
void stand_in_memory(size_t most) { memory_most = most; }
void stand_in_fail(int error) { stream_error = error; }

int cuMemAlloc_v2(uint64_t *out, size_t bytes) {
  if (bytes >= memory_most) return 2;
  return *out = (uint64_t)(uintptr_t)calloc(1, bytes), capturing ? 900 : 0;
}
int cuMemFree_v2(uint64_t memory) { return free((void *)(uintptr_t)memory), 0; }
static size_t copied[2]; /* bytes: to the device, from it */
size_t stand_in_copied(int from) { return copied[from]; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  copied[0] += bytes;
  return memcpy((void *)(uintptr_t)to, from, bytes), 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  copied[1] += bytes;
  return memcpy(to, (void *)(uintptr_t)from, bytes), 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *s) {
  return (void)s, cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *s) {
  return (void)s, cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *s) {
  (void)s;
  if (capturing) return 900;
  return SAY("copy %llu %llu %zu\n", (unsigned long long)to, (unsigned long long)from, bytes), 0;
}

int cuLaunchKernel(void *f, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b, unsigned c, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  (void)y, (void)z, (void)b, (void)c, (void)stream, (void)extra;
  return launch(f, x, a, shared, arguments);
}
int cuLaunchKernelEx(const launch_config *config, void *f, void **arguments, void **extra) {
  return (void)extra, launch(f, config->grid[0], config->block[0], config->shared, arguments);
}
/* A map is its address; its shape is written down: sizes, strides (bytes, from the second dimension on), the box. */
static void map(uint64_t *out, const char *how, uint32_t rank, uint64_t at, const uint64_t *dims,
                const uint64_t *strides) {
  SAY("%s", how);
  for (uint32_t i = 0; i < rank; i++) SAY(" %llu", (unsigned long long)dims[i]);
  SAY(" /");
  for (uint32_t i = 0; i + 1 < rank; i++) SAY(" %llu", (unsigned long long)strides[i]);
  SAY(" /");
  *out = at;
}
int cuTensorMapEncodeTiled(uint64_t *out, int dtype, uint32_t rank, uint64_t at, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int a, int b, int c,
                           int d) {
  (void)dtype, (void)steps, (void)a, (void)b, (void)c, (void)d;
  map(out, "map", rank, at, dims, strides);
  for (uint32_t i = 0; i < rank; i++) SAY(" %u", box[i]);
  return SAY("\n"), 0;
}
int cuTensorMapEncodeIm2col(uint64_t *out, int dtype, uint32_t rank, uint64_t at, const uint64_t *dims,
                            const uint64_t *strides, const int *low, const int *high, uint32_t features,
                            uint32_t pixels, const uint32_t *steps, int a, int b, int c, int d) {
  (void)dtype, (void)a, (void)b, (void)c, (void)d;
  map(out, "window", rank, at, dims, strides);
  SAY(" %u %u /", features, pixels);
  for (uint32_t i = 0; i + 2 < rank; i++) SAY(" %d..%d by %u", low[i], high[i], steps[i + 1]);
  return SAY("\n"), 0;
}
int cuGetErrorString(int error, const char **out) { return (void)error, *out = "stand-in", 0; }

int cuStreamCreate(void **stream, unsigned flags) { return (void)flags, *stream = calloc(1, 8), 0; }
int cuStreamSynchronize(void *stream) { return (void)stream, stream_error; }
int cuEventCreate(void **event, unsigned flags) { return (void)flags, *event = calloc(1, 8), 0; }
int cuEventRecord(void *event, void *stream) { return (void)event, SAY("mark %p\n", stream), 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) { return (void)a, (void)b, *ms = 1, 0; }
int cuEventDestroy_v2(void *event) { return free(event), 0; }
int cuEventSynchronize(void *event) { return (void)event, 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  return (void)event, (void)flags, SAY("wait %p\n", stream), 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
  return (void)stream, (void)mode, capturing = calloc(1, sizeof *capturing), 0;
}
int cuStreamEndCapture(void *stream, void **out) { return (void)stream, *out = capturing, capturing = NULL, 0; }
int cuStreamGetCaptureInfo_v3(void *stream, int *how, uint64_t *number, void **of, void *const **nodes,
                              const void **edges, size_t *count) {
  (void)stream, *how = 1, *number = 1, *of = capturing, *nodes = (void **)&last, *edges = NULL, *count = 1;
  return 0;
}
int cuGraphInstantiateWithFlags(void **out, void *of, uint64_t flags) {
  graph *from = of, *to = calloc(1, sizeof *to);
  (void)flags;
  for (; to->count < from->count; to->count++) {
    to->nodes[to->count] = malloc(sizeof(node));
    *to->nodes[to->count] = *from->nodes[to->count];
  }
  SAY("graph %zu\n", to->count);
  return *out = to, 0;
}
int cuGraphExecKernelNodeSetParams_v2(void *executable, void *which, const node_params *p) {
  graph *g = executable;
  node *n = changeable ? g->nodes[((node *)which)->number] : NULL;
  if (!n || n->f != p->f || n->blocks != p->grid[0] || n->shared != p->shared || p->grid[1] != 1 ||
      n->threads != p->block[0])
    return 1;
  set(n, p->f, p->grid[0], p->block[0], p->shared, p->arguments);
  return SAY("change %s\n", n->f->name), 0;
}
int cuGraphLaunch(void *executable, void *stream) {
  graph *g = executable;
  SAY("replay %p\n", stream);
  for (size_t i = 0; i < g->count; i++) run(g->nodes[i]);
  return 0;
}
static void drop(graph *g) {
  for (size_t i = 0; i < g->count; i++) free(g->nodes[i]);
  free(g);
}
int cuGraphExecDestroy(void *executable) { return drop(executable), 0; }
int cuGraphDestroy(void *of) { return drop(of), 0; }

/* The compiler: code is the source. */
int nvrtcCreateProgram(void **out, const char *source, const char *name, int count, const char *const *a,
                       const char *const *b) {
  (void)name, (void)count, (void)a, (void)b;
  return *out = strdup(source), 0;
}
int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  return (void)program, (void)count, (void)options, 0;
}
int nvrtcGetCUBINSize(void *program, size_t *size) { return *size = strlen(program) + 1, 0; }
int nvrtcGetCUBIN(void *program, char *out) { return strcpy(out, program), 0; }
int nvrtcGetProgramLogSize(void *program, size_t *size) { return (void)program, *size = 0, 0; }
int nvrtcGetProgramLog(void *program, char *out) { return (void)program, *out = 0, 0; }
int nvrtcDestroyProgram(void **program) { return free(*program), 0; }
int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, 0; }
