/* bundle/llvm.c: the root of libtenfold_llvm.so, LLVM as shipped in a wheel: the functions that Tenfold calls,
 * exported, and the parts of LLVM's archives they need for this machine's target. codegen/llvm.c loads it.
 *
 * The archives were compiled for a newer C library than the one a wheel supports; functions that older ones lack are
 * defined here, local to this library. */
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/* Pulls each function's archive member in. The version script exports them. */
#define F(f) (const void *)(uintptr_t)&f,
__attribute__((used)) static const void *const functions[] = {
#include "backend/cpu/codegen/llvm_functions.def"
};
#undef F

#define LOCAL __attribute__((visibility("hidden")))

/* glibc 2.32. Not set: reference counts are always atomic, which is right with any number of threads. */
LOCAL char __libc_single_threaded = 0;

/* glibc 2.33. LLVM reports it in statistics. The fields are mallinfo's, in the same order, wider. */
struct ten_mallinfo2 {
  size_t arena, blocks, fast_blocks, mapped, mapped_bytes, most_used, fast_bytes, used_bytes, free_bytes, top;
};
struct ten_mallinfo2 ten_mallinfo2(void) __asm__("mallinfo2") LOCAL;
struct ten_mallinfo2 ten_mallinfo2(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo m = mallinfo();
#pragma GCC diagnostic pop
  return (struct ten_mallinfo2){(unsigned)m.arena,    (unsigned)m.ordblks, (unsigned)m.smblks,  (unsigned)m.hblks,
                                (unsigned)m.hblkhd,   (unsigned)m.usmblks, (unsigned)m.fsmblks, (unsigned)m.uordblks,
                                (unsigned)m.fordblks, (unsigned)m.keepcost};
}

/* glibc 2.36. libstdc++ seeds hash tables and temporary names with it. */
uint32_t ten_arc4random(void) __asm__("arc4random") LOCAL;
uint32_t ten_arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) abort();
  return value;
}
