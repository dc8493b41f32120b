/* llvm.h: the library that generates code, which is there only when it is needed. */
#ifndef TEN_CPU_LLVM_H
#define TEN_CPU_LLVM_H

#include "tenfold/status.h"

/* Before any function of LLVM is called; the first call loads it. */
TEN_MUST_USE ten_status *ten_llvm_load(void);
/* Which one it is: major, minor and patch. Loads it. */
TEN_MUST_USE ten_status *ten_llvm_version(unsigned out_version[3]);
/* Around every use of a context. After a fork that found another thread in between, LLVM's own locks and tables are in
 * no state to be used: the child is refused. */
TEN_MUST_USE ten_status *ten_llvm_enter(void);
void ten_llvm_leave(void);
/* LLVM ends the process when it gets no memory. An error when the system has not what code for so many values takes. */
TEN_MUST_USE ten_status *ten_llvm_check_memory(size_t values);
/* Gives back the memory that it takes between one use and the next; nothing when it is not loaded. The next use reads
 * its pages again, which takes milliseconds: for programs that take more memory than it does. */
void ten_llvm_release_pages(void);

#endif
