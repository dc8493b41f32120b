/* workspace.c: working memory that executables share. */
#include <stdlib.h>

#include "backend/cpu/codegen/variants.h"
#include "backend/cpu/run/executable.h"
#include "backend/shared.h"

typedef struct cpu_workspace {
  ten_workspace base;  /* must be first */
  exec_arenas *arenas; /* owned */
} cpu_workspace;

ten_workspace *cpu_workspace_create(void) {
  cpu_workspace *workspace = calloc(1, sizeof *workspace);
  if (workspace) workspace->arenas = exec_arenas_create();
  if (workspace && workspace->arenas) return &workspace->base;
  free(workspace);
  return NULL;
}

void cpu_workspace_destroy(ten_workspace *base) {
  cpu_workspace *workspace = (cpu_workspace *)base;
  exec_arenas_destroy(workspace->arenas);
  free(workspace);
}

static exec_arenas *arenas_of_sizes(ten_shared *shared) {
  ten_shared_lock(shared);
  exec_arenas *arenas = cpu_variants_arenas(cpu_variants_of(shared));
  ten_shared_unlock(shared);
  return arenas;
}

void cpu_lend_memory(cpu_executable *executable) {
  const ten_settings *settings = &executable->settings;
  if (settings->workspace)
    exec_share(&executable->exec, ((cpu_workspace *)settings->workspace)->arenas);
  else if (settings->shared)
    exec_share(&executable->exec, arenas_of_sizes(settings->shared));
}
