/* llvm.c: loads LLVM only when code must be generated: a program in the cache, or compiled to a file, does not need it,
 * and loading takes more time and memory than most commands.
 *
 * Every called function of LLVM's C API has a row in llvm_functions.def. A row defines a hidden function of that name
 * that jumps to the library's; one without a row does not link. Callers are written as if the library were linked.
 * Needs: ten_llvm_load before any of them. */
#include "backend/cpu/codegen/llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cpu/codegen/llvm_places.h"
#include "base/places.h"
#include "base/thread.h"

#define TEXT(x) TEXT_OF(x)
#define TEXT_OF(x) #x
#if defined(__x86_64__)
#define JUMP(slot) "endbr64\n\tjmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(slot) "hint #34\n\tadrp x16, " slot "\n\tldr x16, [x16, #:lo12:" slot "]\n\tbr x16\n"
#endif

/* Addresses, once loaded: one slot per function, and a function that jumps there. */
#define SLOT(f) ten_slot_##f
#define SLOT_OF(f) SLOT(f)
#define MAKE(f)                                                                                                      \
  __attribute__((visibility("hidden"))) void *SLOT_OF(f);                                                            \
  __asm__(".text\n\t.balign 16\n\t.globl " TEXT(f) "\n\t.hidden " TEXT(f) "\n\t.type " TEXT(f) ", %function\n" TEXT( \
      f) ":\n\t" JUMP("ten_slot_" TEXT(f)) "\t.size " TEXT(f) ", . - " TEXT(f));
#define F(f) MAKE(f)
#include "backend/cpu/codegen/llvm_functions.def"
#undef F

typedef struct row {
  const char *name;
  void **slot;
} row;
#define F(f) {TEXT(f), &SLOT_OF(f)},
static const row rows[] = {
#include "backend/cpu/codegen/llvm_functions.def"
};
#undef F

enum { MOST_BROUGHT = 32 };

typedef struct library {
  void *handle;                     /* never closed: its exit handlers do not survive it */
  const char *missing;              /* a function it lacks */
  ElfW(Addr) brought[MOST_BROUGHT]; /* its address, and those of libraries newly loaded with it */
  size_t brought_count;
} library;
static library llvm; /* written once, under `once` */

static int count_object(struct dl_phdr_info *info, size_t size, void *count) {
  (void)info, (void)size;
  ++*(size_t *)count;
  return 0;
}

/* Objects are listed in load order: `skip` existed before. */
static int note_object(struct dl_phdr_info *info, size_t size, void *skip) {
  (void)size;
  size_t *left = skip;
  if (*left)
    --*left;
  else if (llvm.brought_count < MOST_BROUGHT)
    llvm.brought[llvm.brought_count++] = info->dlpi_addr;
  return 0;
}

/* The library installed with this one (a wheel), or else the system's. */
static void *open_library(void) {
  static const char *const names[] = {"libLLVM.so.19.1", TEN_LLVM_LIBDIR "/libLLVM.so.19.1", "libLLVM-19.so.1",
                                      TEN_LLVM_LIBDIR "/libLLVM-19.so"};
  char bundled[PATH_MAX];
  void *handle = NULL;
  if (ten_place_find("libtenfold_llvm.so", R_OK, bundled)) handle = dlopen(bundled, RTLD_LAZY | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
    handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
  return handle;
}

static void load(void) {
  size_t before = 0;
  dl_iterate_phdr(count_object, &before);
  llvm.handle = open_library();
  for (size_t i = 0; i < sizeof rows / sizeof *rows && llvm.handle; i++) {
    *rows[i].slot = dlsym(llvm.handle, rows[i].name);
    if (!*rows[i].slot) llvm.missing = rows[i].name;
  }
  if (!llvm.handle || llvm.missing) return;
  dl_iterate_phdr(note_object, &before);
  LLVM_NATIVE_TARGETINFO();
  LLVM_NATIVE_TARGET();
  LLVM_NATIVE_TARGETMC();
  LLVM_NATIVE_ASMPRINTER();
  LLVM_NATIVE_ASMPARSER();
}

static atomic_uint users;  /* threads inside LLVM now */
static atomic_bool loaded; /* or unavailable */
static atomic_bool broken; /* the process was forked while another thread was inside LLVM */
static atomic_bool warm;   /* it was used since its pages were released */

static void fork_in_child(void) {
  if (atomic_exchange(&users, 0)) atomic_store(&broken, true);
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, fork_in_child); }

/* Mapping and unmapping touches no page. */
static bool has_memory(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && !munmap(memory, bytes);
}

ten_status *ten_llvm_load(void) {
  static const size_t size = (size_t)192 << 20; /* for the library, its dependencies, and its tables */
  static ten_once once = TEN_ONCE_INIT, watched = TEN_ONCE_INIT;
  ten_once_run(&watched, watch_forks);
  if (atomic_load(&broken))
    return ten_error(TEN_UNSUPPORTED,
                     "this process was forked while another thread was compiling: it can run what is compiled, and "
                     "compile nothing more (compile before the fork, or start processes with exec or 'spawn')");
  if (!atomic_load(&loaded) && !has_memory(size))
    return ten_error(TEN_LIMIT, "out of memory: compiling for the CPU takes LLVM, which needs %zu bytes", size);
  atomic_fetch_add(&users, 1);
  ten_once_run(&once, load);
  atomic_store(&loaded, true);
  atomic_fetch_sub(&users, 1);
  if (!llvm.handle)
    return ten_error(
        TEN_NOT_FOUND,
        "compiling for the CPU takes LLVM 19, and libLLVM.so.19.1 was not found (Debian: apt install libllvm19); what is compiled already runs without");
  if (llvm.missing) return ten_error(TEN_UNSUPPORTED, "this libLLVM.so.19.1 has no %s", llvm.missing);
  return NULL;
}

ten_status *ten_llvm_enter(void) {
  TEN_TRY(ten_llvm_load());
  atomic_fetch_add(&users, 1);
  atomic_store(&warm, true);
  return NULL;
}

/* Measured: some 10 MiB, and 2 KiB per value for programs whose loops all differ. */
ten_status *ten_llvm_check_memory(size_t values) {
  const size_t bytes = ((size_t)24 << 20) + values * 8192;
  if (has_memory(bytes)) return NULL;
  return ten_error(TEN_LIMIT, "out of memory: LLVM may need %zu bytes to compile this program", bytes);
}

ten_status *ten_llvm_version(unsigned out_version[3]) {
  memset(out_version, 0, 3 * sizeof *out_version);
  TEN_TRY(ten_llvm_load());
  LLVMGetVersion(&out_version[0], &out_version[1], &out_version[2]);
  return NULL;
}

void ten_llvm_leave(void) { atomic_fetch_sub(&users, 1); }

static bool is_brought(ElfW(Addr) base) {
  for (size_t i = 0; i < llvm.brought_count; i++)
    if (llvm.brought[i] == base) return true;
  return false;
}

/* Drops unmodified pages. Those of the host's own libraries are left alone: it may have patched them. */
static int release_segments(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  const uintptr_t page = *(const uintptr_t *)context;
  if (!is_brought(info->dlpi_addr)) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    const uintptr_t start = (info->dlpi_addr + segment->p_vaddr) / page * page;
    madvise((void *)start, info->dlpi_addr + segment->p_vaddr + segment->p_memsz - start, MADV_DONTNEED); /* a hint */
  }
  return 0;
}

void ten_llvm_release_pages(void) {
  if (!llvm.handle || llvm.missing) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(release_segments, &page);
  malloc_trim(0);
}

void ten_llvm_release_unused(void) {
  if (!atomic_load(&warm) || atomic_load(&users)) return;
  if (atomic_exchange(&warm, false)) ten_llvm_release_pages();
}
