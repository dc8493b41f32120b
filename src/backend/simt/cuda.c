/* cuda.c: NVIDIA's driver, loaded with dlopen: each GPU on its primary context, so that memory can be shared
 * with other code in the process. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/simt/cuda_compiler.h"
#include "backend/simt/cuda_map.h"
#include "base/arena.h"

enum {
  MAJOR = 75,
  MINOR = 76,
  SHARED_MOST = 8,
  SHARED_ALWAYS = 48 << 10,
  BLOCK = 256,
  BLOCKS_MOST = 1 << 20,
  EVENT_NO_TIMES = 2,
  EARLY_LAUNCH = 6,
  EARLY_LEAST = 90,
  ARGUMENTS_FEW = 64,
  NO_DEVICE = 100
};

/* cuLaunchKernelEx's structures, as far as they are used. */
typedef struct launch_attribute {
  int id, pad;
  union {
    int allowed;
    uint64_t room[8];
  } value;
} launch_attribute;

typedef struct launch_config {
  unsigned grid[3], block[3], shared;
  void *stream;
  const launch_attribute *attributes;
  unsigned attribute_count;
} launch_config;

typedef struct cu {
  int (*Init)(unsigned);
  int (*DeviceGetCount)(int *);
  int (*DeviceGet)(int *, int);
  int (*DeviceGetName)(char *, int, int);
  int (*DeviceGetAttribute)(int *, int, int);
  int (*DeviceTotalMem)(size_t *, int);
  int (*DevicePrimaryCtxRetain)(void **, int);
  int (*CtxSetCurrent)(void *);
  int (*ModuleLoadData)(void **, const void *);
  int (*ModuleUnload)(void *);
  int (*ModuleGetFunction)(void **, void *, const char *);
  int (*MemAlloc)(uint64_t *, size_t);
  int (*MemFree)(uint64_t);
  int (*MemcpyHtoD)(uint64_t, const void *, size_t);
  int (*MemcpyDtoH)(void *, uint64_t, size_t);
  int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                      void **);
  int (*GetErrorString)(int, const char **);
  int (*FuncSetAttribute)(void *, int, int);
  int (*StreamCreate)(void **, unsigned);
  int (*StreamSynchronize)(void *);
  int (*StreamBeginCapture)(void *, int);
  int (*StreamEndCapture)(void *, void **);
  int (*GraphInstantiate)(void **, void *, uint64_t);
  int (*GraphLaunch)(void *, void *);
  int (*GraphExecDestroy)(void *);
  int (*GraphDestroy)(void *);
  int (*EventCreate)(void **, unsigned);
  int (*EventRecord)(void *, void *);
  int (*EventElapsedTime)(float *, void *, void *);
  int (*EventDestroy)(void *);
  int (*EventSynchronize)(void *);
  int (*StreamWaitEvent)(void *, void *, unsigned);
  int (*MemcpyHtoDAsync)(uint64_t, const void *, size_t, void *);
  int (*MemcpyDtoHAsync)(void *, uint64_t, size_t, void *);
  int (*MemcpyDtoDAsync)(uint64_t, uint64_t, size_t, void *);
} cu;

/* CUDA_KERNEL_NODE_PARAMS_v2 */
typedef struct node_params {
  void *kernel;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  void *other_kernel, *context;
} node_params;

/* A kernel of a graph with its arguments, so that they can be changed. */
typedef struct graph_kernel {
  void *node, *kernel;
  unsigned blocks, threads, shared;
  size_t first; /* of its arguments */
  uint32_t count;
} graph_kernel;

typedef struct cuda_graph {
  void *graph, *executable; /* the former owns the nodes */
  bool fixed;               /* the driver did not say which node some kernel is */
  TEN_VEC(graph_kernel) kernels;
  TEN_VEC(simt_argument) arguments;
  uint32_t most; /* arguments of a kernel */
} cuda_graph;

typedef struct gpu {
  void *context, *stream;
  void *recorder; /* the stream for graph capture, used by one thread at a time */
  ten_mutex recording;
  cuda_graph *recorded; /* owned: what is being captured */
  char arch[16];
  int capability; /* 90 for sm_90 */
} gpu;

static struct {
  cu f;
  gpu gpus[SIMT_DEVICES_MOST];
  unsigned count;
  int (*LaunchKernelEx)(const launch_config *, void *, void **, void **); /* NULL: the driver has none */
  /* Both NULL where the driver (before CUDA 12.3) cannot change graphs. */
  int (*StreamGetCaptureInfo)(void *, int *, uint64_t *, void **, void *const **, const void **, size_t *);
  int (*GraphExecKernelNodeSetParams)(void *, void *, const node_params *);
} state;

static gpu *here(void) { return &state.gpus[simt_selected_device()]; }

/* Per thread: whether its launches are captured, and the stream it uses if not our own. */
static _Thread_local bool records, has_stream;
static _Thread_local void *given_stream;

static void *stream_now(void) { return records ? here()->recorder : has_stream ? given_stream : here()->stream; }

static ten_status *load_driver(void) {
  static const char *const names[] = {"cuInit",
                                      "cuDeviceGetCount",
                                      "cuDeviceGet",
                                      "cuDeviceGetName",
                                      "cuDeviceGetAttribute",
                                      "cuDeviceTotalMem_v2",
                                      "cuDevicePrimaryCtxRetain",
                                      "cuCtxSetCurrent",
                                      "cuModuleLoadData",
                                      "cuModuleUnload",
                                      "cuModuleGetFunction",
                                      "cuMemAlloc_v2",
                                      "cuMemFree_v2",
                                      "cuMemcpyHtoD_v2",
                                      "cuMemcpyDtoH_v2",
                                      "cuLaunchKernel",
                                      "cuGetErrorString",
                                      "cuFuncSetAttribute",
                                      "cuStreamCreate",
                                      "cuStreamSynchronize",
                                      "cuStreamBeginCapture_v2",
                                      "cuStreamEndCapture",
                                      "cuGraphInstantiateWithFlags",
                                      "cuGraphLaunch",
                                      "cuGraphExecDestroy",
                                      "cuGraphDestroy",
                                      "cuEventCreate",
                                      "cuEventRecord",
                                      "cuEventElapsedTime",
                                      "cuEventDestroy_v2",
                                      "cuEventSynchronize",
                                      "cuStreamWaitEvent",
                                      "cuMemcpyHtoDAsync_v2",
                                      "cuMemcpyDtoHAsync_v2",
                                      "cuMemcpyDtoDAsync_v2"};
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return ten_error(TEN_NOT_FOUND, "no NVIDIA driver was found (libcuda.so.1)");
  *(void **)&state.LaunchKernelEx = dlsym(library, "cuLaunchKernelEx");
  cuda_map_load(library);
  *(void **)&state.StreamGetCaptureInfo = dlsym(library, "cuStreamGetCaptureInfo_v3");
  *(void **)&state.GraphExecKernelNodeSetParams = dlsym(library, "cuGraphExecKernelNodeSetParams_v2");
  return cuda_load(library, "libcuda.so.1", names, sizeof names / sizeof *names, (void **)&state.f);
}

/* Of a kernel that broke its context, or a GPU that is lost: every later call fails with it. */
static bool is_lasting(int error) {
  enum { ECC = 214, ILLEGAL_ADDRESS = 700, TIMED_OUT = 702, ASSERTED = 710, FIRST = 714, LAST = 719, UNKNOWN = 999 };
  return error == ECC || error == ILLEGAL_ADDRESS || error == TIMED_OUT || error == ASSERTED || error == UNKNOWN ||
         (error >= FIRST && error <= LAST);
}

static ten_status *failed(ten_code code, const char *doing, int error) {
  const char *text = NULL;
  if (state.f.GetErrorString) state.f.GetErrorString(error, &text);
  ten_status *status = ten_error(code, "%s: %s (CUDA error %d)", doing, text ? text : "unknown", error);
  if (!is_lasting(error)) return status;
  return ten_annotate(status, "after which this process cannot use the GPU any more; other devices go on");
}

static ten_status *load_cuda(ten_buf *unused) {
  (void)unused;
  TEN_TRY(load_driver());
  int count = 0, error = state.f.Init(0);
  if (!error) error = state.f.DeviceGetCount(&count);
  if (error || count < 1) return failed(TEN_NOT_FOUND, "no NVIDIA GPU can be used", error ? error : NO_DEVICE);
  state.count = (unsigned)(count < SIMT_DEVICES_MOST ? count : SIMT_DEVICES_MOST);
  return cuda_compiler_load();
}

static ten_status *open_device(ten_buf *text) {
  gpu *g = here();
  int device = 0, major = 0, minor = 0, error = state.f.DeviceGet(&device, (int)simt_selected_device());
  size_t memory = 0;
  char name[256] = "";
  if (error) return failed(TEN_NOT_FOUND, "no NVIDIA GPU can be used", error);
  state.f.DeviceGetName(name, sizeof name - 1, device);
  state.f.DeviceGetAttribute(&major, MAJOR, device);
  state.f.DeviceGetAttribute(&minor, MINOR, device);
  state.f.DeviceTotalMem(&memory, device);
  ten_mutex_init(&g->recording);
  error = state.f.DevicePrimaryCtxRetain(&g->context, device);
  if (!error) error = state.f.CtxSetCurrent(g->context);
  if (!error) error = state.f.StreamCreate(&g->recorder, 0);
  if (!error) error = state.f.StreamCreate(&g->stream, 0); /* synchronizes with the default stream */
  if (error) return failed(TEN_UNSUPPORTED, "the GPU cannot be opened", error);
  /* sm_90a is what every GPU of capability 9.0 has beyond sm_90: wgmma. */
  g->capability = major * 10 + minor;
  snprintf(g->arch, sizeof g->arch, "sm_%d%s", g->capability, g->capability == 90 ? "a" : "");
  ten_buf_printf(text, "%s, sm_%d%d, %zu MiB", name, major, minor, memory >> 20);
  return NULL;
}

static ten_status *cuda_open(ten_buf *description) {
  static simt_opening opening = {.mutex = TEN_MUTEX_INIT};
  return simt_open_device(&opening, load_cuda, open_device, description);
}

static unsigned cuda_count(void) { return state.count; }

/* Sets the calling thread's context; must come first. */
static void enter(void) { state.f.CtxSetCurrent(here()->context); }

static ten_status *cuda_build(const char *source, void **out_code) {
  enter();
  ten_buf cubin = {0};
  TEN_TRY(cuda_compile(source, here()->arch, &cubin));
  const int error = state.f.ModuleLoadData(out_code, cubin.data);
  ten_buf_free(&cubin);
  return error ? failed(TEN_INTERNAL, "compiled kernels cannot be loaded", error) : NULL;
}

static int cuda_arch(void) { return here()->capability; }

static void cuda_release(void *code) {
  enter();
  state.f.ModuleUnload(code);
}

static ten_status *cuda_kernel(void *code, const char *name, void **out_kernel) {
  const int error = state.f.ModuleGetFunction(out_kernel, code, name);
  return error ? failed(TEN_INTERNAL, name, error) : NULL;
}

static ten_status *cuda_allocate(size_t bytes, simt_memory *out_memory) {
  enter();
  const int error = state.f.MemAlloc(out_memory, bytes ? bytes : 1);
  return error ? ten_annotate(failed(TEN_LIMIT, "out of GPU memory", error), "allocating %zu bytes", bytes) : NULL;
}

static void cuda_free(simt_memory memory) {
  enter();
  state.f.MemFree(memory);
}

static ten_status *cuda_upload(simt_memory memory, const void *data, size_t bytes) {
  if (!bytes) return NULL;
  enter();
  int error =
      has_stream ? state.f.MemcpyHtoDAsync(memory, data, bytes, given_stream) : state.f.MemcpyHtoD(memory, data, bytes);
  if (!error && has_stream) error = state.f.StreamSynchronize(given_stream);
  return error ? failed(TEN_IO, "copying to the GPU failed", error) : NULL;
}

static ten_status *cuda_download(simt_memory memory, void *data, size_t bytes) {
  if (!bytes) return NULL;
  enter();
  int error =
      has_stream ? state.f.MemcpyDtoHAsync(data, memory, bytes, given_stream) : state.f.MemcpyDtoH(data, memory, bytes);
  if (!error && has_stream) error = state.f.StreamSynchronize(given_stream);
  return error ? failed(TEN_IO, "copying from the GPU failed", error) : NULL;
}

/* From sm_90 on a kernel's groups may start while the kernel before still runs: its first instruction (START in
 * language.c) waits until that one has ended and its results can be seen. */
static int launch_kernel(void *kernel, unsigned blocks, unsigned threads, size_t shared, void **pointers) {
  static const launch_attribute early = {.id = EARLY_LAUNCH, .value = {.allowed = 1}};
  if (here()->capability < EARLY_LEAST || !state.LaunchKernelEx)
    return state.f.LaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, (unsigned)shared, stream_now(), pointers, NULL);
  const launch_config config = {.grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .shared = (unsigned)shared,
                                .stream = stream_now(),
                                .attributes = &early,
                                .attribute_count = 1};
  return state.LaunchKernelEx(&config, kernel, pointers, NULL);
}

/* Notes the kernel that was captured last: the only node that the recorder's next one will depend on. */
static void note_kernel(void *kernel, unsigned blocks, unsigned threads, size_t shared, const simt_argument *arguments,
                        uint32_t count) {
  cuda_graph *g = here()->recorded;
  int capturing = 0;
  uint64_t number = 0;
  void *graph = NULL, *const *nodes = NULL;
  const void *edges = NULL;
  size_t node_count = 0;
  if (!state.StreamGetCaptureInfo ||
      state.StreamGetCaptureInfo(here()->recorder, &capturing, &number, &graph, &nodes, &edges, &node_count) ||
      node_count != 1) {
    g->fixed = true;
    return;
  }
  const graph_kernel noted = {nodes[0], kernel, blocks, threads, (unsigned)shared, g->arguments.count, count};
  ten_vec_push(&g->kernels, noted);
  if (g->most < count) g->most = count;
  for (uint32_t i = 0; i < count; i++) ten_vec_push(&g->arguments, arguments[i]);
}

static void *pointer_to(const simt_argument *a) {
  return a->is_number ? (void *)(uintptr_t)&a->number : (void *)(uintptr_t)&a->memory;
}

/* Where the arguments are; maps are made for it, in `maps`, which has room for SIMT_MAPS_MOST of them. */
static int point_to(const simt_argument *arguments, uint32_t count, cuda_tensor_map *maps, void **out) {
  int error = 0;
  for (uint32_t i = 0; i < count && !error; i++) {
    out[i] = pointer_to(&arguments[i]);
    if (!arguments[i].map) continue;
    error = cuda_map_encode(arguments[i].map, arguments[i].memory, maps);
    out[i] = maps++;
  }
  return error;
}

static ten_status *cuda_launch(void *kernel, const simt_launch *launch, const simt_argument *arguments,
                               uint32_t count) {
  enter();
  void **pointers = ten_alloc((count + 1) * sizeof *pointers);
  cuda_tensor_map maps[SIMT_MAPS_MOST];
  const int64_t threads = launch->grouped ? launch->group : BLOCK;
  int64_t blocks = (launch->threads + threads - 1) / threads;
  if (blocks > BLOCKS_MOST) blocks = BLOCKS_MOST;
  int error = point_to(arguments, count, maps, pointers);
  if (!error && launch->shared > SHARED_ALWAYS)
    error = state.f.FuncSetAttribute(kernel, SHARED_MOST, (int)launch->shared);
  if (!error) error = launch_kernel(kernel, (unsigned)blocks, (unsigned)threads, launch->shared, pointers);
  free(pointers);
  if (!error && records) note_kernel(kernel, (unsigned)blocks, (unsigned)threads, launch->shared, arguments, count);
  return error ? failed(TEN_INTERNAL, "launching a kernel failed", error) : NULL;
}

static ten_status *cuda_finish(void) {
  enter();
  const int error = state.f.StreamSynchronize(here()->stream);
  return error ? failed(TEN_INTERNAL, "a kernel fails", error) : NULL;
}

static void cuda_release_graph(void *graph) {
  cuda_graph *g = graph;
  enter();
  if (g->executable) state.f.GraphExecDestroy(g->executable);
  if (g->graph) state.f.GraphDestroy(g->graph);
  ten_vec_free(&g->kernels);
  ten_vec_free(&g->arguments);
  free(g);
}

static ten_status *cuda_record(void) {
  enter();
  cuda_graph *g = ten_alloc(sizeof *g);
  *g = (cuda_graph){0};
  ten_mutex_lock(&here()->recording);
  const int error = state.f.StreamBeginCapture(here()->recorder, 1 /* of this thread */);
  records = !error;
  if (!error) {
    here()->recorded = g;
    return NULL;
  }
  ten_mutex_unlock(&here()->recording);
  free(g);
  return failed(TEN_INTERNAL, "kernels cannot be recorded", error);
}

static ten_status *cuda_recorded(void **out_graph) {
  cuda_graph *g = here()->recorded;
  here()->recorded = NULL;
  int error = state.f.StreamEndCapture(here()->recorder, &g->graph);
  records = false;
  ten_mutex_unlock(&here()->recording);
  if (!error) error = state.f.GraphInstantiate(&g->executable, g->graph, 0);
  if (!error) {
    *out_graph = g;
    return NULL;
  }
  cuda_release_graph(g);
  return failed(TEN_INTERNAL, "recorded kernels cannot be made a graph", error);
}

/* A kernel's arguments after their addresses were changed; `pointers` has room for them. */
static bool set_arguments(const cuda_graph *g, const graph_kernel *k, void **pointers) {
  cuda_tensor_map maps[SIMT_MAPS_MOST];
  if (point_to(&g->arguments.data[k->first], k->count, maps, pointers)) return false;
  const node_params params = {.kernel = k->kernel,
                              .grid = {k->blocks, 1, 1},
                              .block = {k->threads, 1, 1},
                              .shared = k->shared,
                              .arguments = pointers};
  return !state.GraphExecKernelNodeSetParams(g->executable, k->node, &params);
}

static bool cuda_readdress(void *graph, const simt_memory *addresses, size_t *changed) {
  cuda_graph *g = graph;
  if (g->fixed || !state.GraphExecKernelNodeSetParams) return false;
  enter();
  /* Before anything is changed: a graph of which memory ran out in the middle would be replayed. */
  void *few[ARGUMENTS_FEW], **pointers = g->most <= ARGUMENTS_FEW ? few : ten_alloc(g->most * sizeof *pointers);
  bool good = true;
  for (size_t i = 0; i < g->kernels.count && good; i++) {
    const graph_kernel *k = &g->kernels.data[i];
    bool differs = false;
    for (simt_argument *a = &g->arguments.data[k->first], *end = a + k->count; a < end; a++) {
      if (!a->slot || a->memory == addresses[a->slot - 1]) continue;
      a->memory = addresses[a->slot - 1];
      differs = true;
    }
    if (!differs) continue;
    good = set_arguments(g, k, pointers);
    ++*changed;
  }
  if (pointers != few) free(pointers);
  return good;
}

static ten_status *cuda_replay(void *graph, size_t count, double *out_seconds) {
  enter();
  void *start = NULL, *end = NULL;
  int error = out_seconds ? state.f.EventCreate(&start, 0) : 0;
  if (!error && out_seconds) error = state.f.EventCreate(&end, 0);
  for (size_t i = 0; i < count && !error; i++) {
    float milliseconds = 0;
    if (out_seconds) error = state.f.EventRecord(start, here()->stream);
    if (!error) error = state.f.GraphLaunch(((cuda_graph *)graph)->executable, stream_now());
    if (!out_seconds) continue;
    if (!error) error = state.f.EventRecord(end, here()->stream);
    if (!error) error = state.f.StreamSynchronize(here()->stream);
    if (!error) error = state.f.EventElapsedTime(&milliseconds, start, end);
    out_seconds[i] = milliseconds / 1e3;
  }
  if (start) state.f.EventDestroy(start);
  if (end) state.f.EventDestroy(end);
  return error ? failed(TEN_INTERNAL, "a graph of kernels fails", error) : NULL;
}

static void cuda_use_stream(void *stream) {
  enter();
  has_stream = true;
  given_stream = stream;
}

static void cuda_use_own_stream(void) { has_stream = false; }

static ten_status *cuda_copy(simt_memory to, simt_memory from, size_t bytes) {
  const int error = bytes ? state.f.MemcpyDtoDAsync(to, from, bytes, stream_now()) : 0;
  return error ? failed(TEN_INTERNAL, "copying on the GPU failed", error) : NULL;
}

static ten_status *cuda_mark(void **mark) {
  int error = *mark ? 0 : state.f.EventCreate(mark, EVENT_NO_TIMES);
  if (!error) error = state.f.EventRecord(*mark, stream_now());
  return error ? failed(TEN_INTERNAL, "an event cannot be recorded", error) : NULL;
}

static ten_status *cuda_wait_for(void *mark) {
  enter();
  const int error = state.f.StreamWaitEvent(stream_now(), mark, 0);
  return error ? failed(TEN_INTERNAL, "waiting for an event failed", error) : NULL;
}

static void cuda_drop_mark(void *mark) {
  enter();
  state.f.EventSynchronize(mark);
  state.f.EventDestroy(mark);
}

const simt_driver simt_cuda = {
    .language = SIMT_CUDA_C,
    .open = cuda_open,
    .count = cuda_count,
    .arch = cuda_arch,
    .resident = true,
    .concurrent_builds = true,
    .build = cuda_build,
    .release = cuda_release,
    .kernel = cuda_kernel,
    .allocate = cuda_allocate,
    .free = cuda_free,
    .upload = cuda_upload,
    .download = cuda_download,
    .launch = cuda_launch,
    .finish = cuda_finish,
    .record = cuda_record,
    .recorded = cuda_recorded,
    .replay = cuda_replay,
    .release_graph = cuda_release_graph,
    .readdress = cuda_readdress,
    .use_stream = cuda_use_stream,
    .use_own_stream = cuda_use_own_stream,
    .copy = cuda_copy,
    .mark = cuda_mark,
    .wait_for = cuda_wait_for,
    .drop_mark = cuda_drop_mark,
};
