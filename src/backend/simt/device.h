/* device.h: the driver interface: buffers, transfers, kernels. A driver is loaded on first use and stays loaded. All
 * functions are thread-safe, and use the device that the calling thread has selected. */
#ifndef TEN_SIMT_DEVICE_H
#define TEN_SIMT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/simt/language.h"
#include "base/thread.h"

enum { SIMT_DEVICES_MOST = 16 }; /* of a driver */

/* From now on the calling thread uses this device of each driver; at first 0. */
void simt_select_device(unsigned index);
unsigned simt_selected_device(void);

typedef struct simt_driver simt_driver;
typedef uint64_t simt_memory; /* a device address or a driver handle */

typedef struct simt_argument {
  simt_memory memory; /* or, where is_number: */
  int64_t number;
  bool is_number;
  const simt_map *map; /* or, where not NULL: it, of what lies at `memory` */
  uint32_t slot;       /* k + 1: the caller's k-th address, which may be another at the next call; 0: none of them */
} simt_argument;

typedef struct simt_launch {
  int64_t threads;
  bool grouped;  /* in groups of… */
  int group;     /* …threads, with… */
  size_t shared; /* …bytes of dynamic shared memory */
} simt_launch;

struct simt_driver {
  simt_language language;
  /* Loads the driver and opens the selected device once; appends a description. */
  ten_status *(*open)(ten_buf *description);
  unsigned (*count)(void); /* devices, once one is open; NULL: the driver uses one */
  int (*arch)(void);       /* of the device that is open: 90 for sm_90; NULL where kernels are alike for all */
  bool resident;           /* results may stay in the buffers that they were computed in */
  bool concurrent_builds;  /* several threads may build at once, and gain by it */
  /* The kernels' text in the language that `build` takes; NULL: it is that already. */
  ten_status *(*print)(const char *text, ten_buf *out);
  /* Compiles a source; the log is in the error. */
  ten_status *(*build)(const char *source, void **out_code);
  void (*release)(void *code);
  ten_status *(*kernel)(void *code, const char *name, void **out_kernel); /* owned by the code */
  ten_status *(*allocate)(size_t bytes, simt_memory *out_memory);
  void (*free)(simt_memory memory);
  ten_status *(*upload)(simt_memory memory, const void *data, size_t bytes);
  ten_status *(*download)(simt_memory memory, void *data, size_t bytes); /* waits for the kernels launched before */
  ten_status *(*launch)(void *kernel, const simt_launch *launch, const simt_argument *arguments, uint32_t count);
  ten_status *(*finish)(void); /* waits for all kernels */

  /* Kernels launched between the two are captured, not run; NULL where unsupported. */
  ten_status *(*record)(void);
  ten_status *(*recorded)(void **out_graph);
  /* Runs it `count` times in sequence; with out_seconds it waits and returns the time of each run. */
  ten_status *(*replay)(void *graph, size_t count, double *out_seconds);
  void (*release_graph)(void *graph);
  /* Gives the kernels of a graph these addresses for their arguments that have a slot; counts the kernels that it
   * changed. False: this graph, or part of it, cannot be changed, and must be released. NULL where unsupported. */
  bool (*readdress)(void *graph, const simt_memory *addresses, size_t *changed);

  /* Interoperation with other users of the device; NULL where unsupported. The calling thread's kernels and copies use
   * `stream`, a native stream of the driver, until use_own_stream. */
  void (*use_stream)(void *stream);
  void (*use_own_stream)(void);
  ten_status *(*copy)(simt_memory to, simt_memory from, size_t bytes); /* device to device, asynchronous */
  /* Records an event on the stream; *mark is created if NULL. Later work on the stream waits for a mark. */
  ten_status *(*mark)(void **mark);
  ten_status *(*wait_for)(void *mark);
  void (*drop_mark)(void *mark); /* waits for it first */
};

/* What is opened once: its description, or the error, is stored. */
typedef struct simt_opened {
  bool done;
  ten_code failure;
  ten_buf text;
} simt_opened;
typedef struct simt_opening {
  ten_mutex mutex;
  simt_opened library, devices[SIMT_DEVICES_MOST];
} simt_opening;
/* `load` loads the library (NULL: `open_device` does), `open_device` opens the selected device. */
TEN_MUST_USE ten_status *simt_open_device(simt_opening *opening, ten_status *(*load)(ten_buf *unused),
                                          ten_status *(*open_device)(ten_buf *text), ten_buf *description);

extern const simt_driver simt_opencl, simt_cuda, simt_hip, simt_webgpu;
/* device.c: the source of these kernels, with the prelude of the driver's language. */
TEN_MUST_USE ten_status *simt_source(const simt_driver *driver, ten_str kernels, ten_buf *out);

#endif
