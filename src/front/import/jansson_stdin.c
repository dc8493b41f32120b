/* jansson_stdin.c: what stands for `stdin` in the jansson that wheels carry (meson.build says why): nothing is equal to
 * it. */
#include <stdio.h>

extern FILE *ten_jansson_stdin;
__attribute__((visibility("hidden"))) FILE *ten_jansson_stdin = NULL;
