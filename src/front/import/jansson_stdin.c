/* jansson_stdin.c: replaces `stdin` in the jansson of the wheels (meson.build says why): a pointer that equals no
 * stream. */
#include <stdio.h>

extern FILE *ten_jansson_stdin;
__attribute__((visibility("hidden"))) FILE *ten_jansson_stdin = NULL;
