/* places.c: finds the files of an installation. An installation can be moved as a whole (a wheel is unpacked anywhere),
 * so files are found relative to the file that this code was loaded from: a command, a library or an extension. */
#include "base/places.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install_dirs.h"

/* Relative to the folder of that file. */
static const char *const folders[] = {
    "",                                  /* the same folder */
    "/lib",                              /* a package: from tenfold/_core.abi3.so */
    "/bin",                              /* the same */
    "/../lib",                           /* a package: from tenfold/bin/tenfold */
    "/../bin",                           /* a package: from tenfold/lib/libtenfold.so */
    "/../" TEN_LIBDIR,                   /* a prefix: from bin/tenfold */
    "/../" TEN_LIBEXECDIR "/tenfold",    /* the same */
    "/../../" TEN_LIBEXECDIR "/tenfold", /* a prefix: from lib/x86_64-linux-gnu/libtenfold.so */
    "/../../" TEN_LIBDIR,                /* a prefix: from libexec/tenfold/tenfold-aot */
    "/..",                               /* a build folder: from python/_core.abi3.so */
    "/../..",                            /* a build folder: from tools/cli/tenfold */
    "/tools/aot",                        /* a build folder: from libtenfold.so */
    "/../tools/aot",                     /* a build folder: from python/_core.abi3.so */
    "/../../tools/aot",                  /* a build folder: from tests/pjrt/test_aot */
    "/../serve",                         /* a build folder: from tools/cli/tenfold */
    "/tools/serve",                      /* a build folder: from libtenfold.so */
    "/../tools/serve",                   /* a build folder: from python/_core.abi3.so */
    "/../../tools/serve",                /* a build folder: from tests/backend/test_conformance */
};

/* The folder of the file that this code is in. */
static bool own_folder(char out[PATH_MAX]) {
  Dl_info info;
  struct link_map *map = NULL;
  const bool known = dladdr1((const void *)(uintptr_t)own_folder, &info, (void **)&map, RTLD_DL_LINKMAP);
  /* dladdr has no name for the main program, and argv[0] may be no path. */
  if (!realpath(known && map->l_name && *map->l_name ? map->l_name : "/proc/self/exe", out)) return false;
  char *slash = strrchr(out, '/');
  if (slash) *slash = 0;
  return slash;
}

bool ten_place_find(const char *name, int mode, char out_path[PATH_MAX]) {
  char own[PATH_MAX];
  const bool known = own_folder(own);
  for (size_t i = 0; known && i < sizeof folders / sizeof *folders; i++) {
    const int size = snprintf(out_path, PATH_MAX, "%s%s/%s", own, folders[i], name);
    if (size > 0 && size < PATH_MAX && !access(out_path, mode)) return true;
  }
  *out_path = 0;
  return false;
}
