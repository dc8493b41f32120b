/* api_custom.c: the public API of custom operators (tenfold/custom.h). */
#include "tenfold/custom.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/registry.h"
#include "base/str.h"

ten_status *ten_register_lowering(const char *op, ten_lowering lowering, void *user) {
  TEN_RECOVER("registering a lowering");
  if (!op || !*op || !lowering) return ten_error(TEN_INVALID, "a lowering needs an operator's name and a function");
  char *name = ten_alloc(strlen(op) + 1); /* "mylib::scale" → "mylib.scale", as programs spell it */
  size_t size = 0;
  for (const char *at = op; *at; at++) {
    if (at[0] == ':' && at[1] == ':') {
      name[size++] = '.';
      at++;
    } else {
      name[size++] = *at;
    }
  }
  ten_registry_set(TEN_REGISTRY_LOWERING, (ten_str){name, size},
                   (ten_registry_entry){(ten_registry_function)lowering, user});
  free(name);
  return NULL;
}

ten_status *ten_register_kernel(const char *name, ten_kernel kernel, void *user) {
  TEN_RECOVER("registering a kernel");
  if (!name || !*name || !kernel) return ten_error(TEN_INVALID, "a kernel needs a name and a function");
  ten_registry_set(TEN_REGISTRY_KERNEL, ten_str_of(name), (ten_registry_entry){(ten_registry_function)kernel, user});
  return NULL;
}

static ten_status *library_error(const char *message) { return ten_error(TEN_INVALID, "%s", message); }

ten_status *ten_library_load(const char *path) {
  TEN_RECOVER("loading a library");
  static const ten_library_host host = {.size = sizeof host,
                                        .register_lowering = ten_register_lowering,
                                        .register_kernel = ten_register_kernel,
                                        .lowering_number = ten_lowering_number,
                                        .error = library_error};
  if (access(path, R_OK))
    return ten_error(errno == ENOENT ? TEN_NOT_FOUND : TEN_IO, "the library %s: %s", path, strerror(errno));
  ten_buf name = {0}; /* without a slash the loader would search its own folders */
  ten_buf_printf(&name, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *library = dlopen(name.data, RTLD_NOW | RTLD_LOCAL);
  ten_buf_free(&name);
  if (!library) return ten_error(TEN_INVALID, "the library %s cannot be loaded: %s", path, dlerror());
  const unsigned *abi = dlsym(library, "tenfold_library_abi");
  ten_status *(*open)(const ten_library_host *) = NULL;
  *(void **)&open = dlsym(library, "tenfold_library_open");
  ten_status *status = NULL;
  if (!abi || !open)
    status = ten_error(TEN_INVALID,
                       "the library %s has no %s: one for Tenfold is made with TENFOLD_LIBRARY (tenfold/custom.h)",
                       path, abi ? "tenfold_library_open" : "tenfold_library_abi");
  else if (*abi != TENFOLD_LIBRARY_ABI)
    status = ten_error(TEN_UNSUPPORTED,
                       "the library %s is for version %u of the interface; this is version %d: build it again", path,
                       *abi, TENFOLD_LIBRARY_ABI);
  if (status) {
    dlclose(library);
    return status;
  }
  return ten_annotate(open(&host), "opening the library %s", path); /* stays loaded: registered functions are in it */
}
