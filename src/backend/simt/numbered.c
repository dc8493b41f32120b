/* numbered.c: backends of the drivers' devices: one of each kind is in the table of backends, those of devices 1 and up
 * are made when they are opened by number. */
#include "backend/simt/program.h"

extern const ten_backend ten_opencl_backend, ten_cuda_backend, ten_hip_backend, ten_webgpu_backend;

const simt_driver *simt_driver_of(const ten_backend *backend) {
  if (backend->first) backend = backend->first;
  if (backend == &ten_cuda_backend) return &simt_cuda;
  if (backend == &ten_hip_backend) return &simt_hip;
  return backend == &ten_webgpu_backend ? &simt_webgpu : &simt_opencl;
}

ten_status *simt_describe(const ten_backend *self, ten_buf *out) {
  simt_select_device(self->index);
  return simt_driver_of(self)->open(out);
}

static ten_status *no_such_device(const ten_backend *first, unsigned index, unsigned count) {
  ten_buf there = {0};
  for (unsigned i = 0; i < count; i++) {
    ten_buf text = {0};
    simt_select_device(i);
    ten_status_free(simt_driver_of(first)->open(&text));
    ten_buf_printf(&there, "%s%s:%u (%.*s)", i ? ", " : "", first->name, i, (int)text.size, text.size ? text.data : "");
    ten_buf_free(&text);
  }
  ten_status *status = ten_error(TEN_NOT_FOUND, "no device '%s:%u'; there %s %.*s", first->name, index,
                                 count == 1 ? "is" : "are", (int)there.size, there.data);
  ten_buf_free(&there);
  return status;
}

/* Backends of devices 1 and up of all kinds; never freed. */
static struct {
  ten_mutex mutex;
  TEN_VEC(const ten_backend *) made;
} others = {.mutex = TEN_MUTEX_INIT};

static const ten_backend *backend_of(const ten_backend *first, unsigned index) {
  for (size_t i = 0; i < others.made.count; i++)
    if (others.made.data[i]->first == first && others.made.data[i]->index == index) return others.made.data[i];
  ten_buf name = {0};
  ten_buf_printf(&name, "%s:%u", first->name, index);
  ten_backend *made = ten_alloc(sizeof *made);
  *made = *first;
  made->name = ten_buf_take(&name);
  made->index = index;
  made->first = first;
  ten_vec_push(&others.made, made);
  return made;
}

ten_status *simt_another(const ten_backend *self, unsigned index, const ten_backend **out_backend) {
  const simt_driver *driver = simt_driver_of(self);
  simt_select_device(0);
  TEN_TRY(ten_annotate(driver->open(NULL), "opening the device '%s:%u'", self->name, index));
  const unsigned count = driver->count ? driver->count() : 1;
  if (index >= count) return no_such_device(self, index, count);
  ten_mutex_lock(&others.mutex);
  *out_backend = backend_of(self, index);
  ten_mutex_unlock(&others.mutex);
  return NULL;
}
