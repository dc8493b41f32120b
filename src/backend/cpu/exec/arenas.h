/* arenas.h: memory for the values of running calls, shared by programs that rarely run at the same time: those for the
 * sizes of one source program, or those with one workspace. Otherwise each would keep memory of its own, and a new one
 * would wait for its pages at its first call. Thread-safe. */
#ifndef TEN_CPU_EXEC_ARENAS_H
#define TEN_CPU_EXEC_ARENAS_H

#include <stddef.h>

typedef struct exec_arenas exec_arenas;

exec_arenas *exec_arenas_create(void);         /* NULL: out of memory */
void exec_arenas_destroy(exec_arenas *arenas); /* all memory has been given back; NULL is fine */
/* At least so many bytes, 64-aligned; where possible those given back last. NULL: out of memory. */
void *exec_arenas_take(exec_arenas *arenas, size_t bytes, size_t *out_bytes);
void exec_arenas_give(exec_arenas *arenas, void *memory, size_t bytes); /* as taken */

/* 64-aligned; large blocks use huge pages: first touches cost a tenth. NULL: out of memory. */
void *exec_memory_new(size_t bytes);

#endif
