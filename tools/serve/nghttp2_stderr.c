/* nghttp2_stderr.c: for wheels, linked with --wrap=stderr. Debian's libnghttp2.a is compiled for programs: in a library
 * its reference to stderr cannot be relocated, and in a program it would make a copy (see program_args in meson.build).
 */
#include <stdio.h>

extern FILE *__real_stderr;
extern FILE *__wrap_stderr;
__attribute__((visibility("hidden"))) FILE *__wrap_stderr;

__attribute__((constructor)) static void find_stderr(void) { __wrap_stderr = __real_stderr; }
