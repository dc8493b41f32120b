/* llvm.h: loading of LLVM on demand. */
#ifndef TEN_CPU_LLVM_H
#define TEN_CPU_LLVM_H

#include "tenfold/status.h"

/* Call before any LLVM function; the first call loads it. */
TEN_MUST_USE ten_status *ten_llvm_load(void);
/* Its version: major, minor and patch. Loads it. */
TEN_MUST_USE ten_status *ten_llvm_version(unsigned out_version[3]);
/* Around every use of a context. After a fork while another thread was inside, LLVM's locks and tables are unusable:
 * the child gets an error. */
TEN_MUST_USE ten_status *ten_llvm_enter(void);
void ten_llvm_leave(void);
/* LLVM aborts when out of memory. An error when the system lacks the memory to compile so many values. */
TEN_MUST_USE ten_status *ten_llvm_check_memory(size_t values);
/* Releases LLVM's memory between uses; nothing if it is not loaded. The next use reads its pages again, which takes
 * milliseconds: for programs that need more memory than LLVM. */
void ten_llvm_release_pages(void);
/* The same if it was used since the last time and no thread is using it. */
void ten_llvm_release_unused(void);

#endif
