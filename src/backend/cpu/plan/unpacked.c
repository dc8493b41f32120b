/* unpacked.c: a matmul of few rows reads its second operand in place. Packing pays when many rows use the packed data,
 * or when it is done once for all calls (hoist_constants.c); otherwise it costs more memory traffic than it saves.
 * Needs: hoist_constants.c has run.  Keeps: order; a pack step whose matmul reads B in place is removed. */
#include <stdlib.h>

#include "backend/cpu/exec/gemm.h"
#include "backend/cpu/plan/plan.h"

enum { DIRECT_ROWS = 288 }; /* at most two blocks of rows: each packs its own panels */

/* The matmul next to a pack step, if it is the only reader of the packed data. NULL: packing pays. */
static cpu_step *product_of(const cpu_body *body, size_t pack) {
  const cpu_step *step = body->steps.data[pack];
  if (step->kind != CPU_PACK_B || pack + 1 >= body->steps.count) return NULL;
  cpu_step *matmul = body->steps.data[pack + 1];
  const cpu_gemm *g = step->descriptor;
  if (matmul->kind != CPU_GEMM || matmul->descriptor != g || g->bf16) return NULL;
  if (g->wish ? g->wish < 0 : g->m > DIRECT_ROWS) return NULL;
  return matmul;
}

static void make_direct(cpu_body *body) {
  size_t kept = 0;
  for (size_t i = 0; i < body->steps.count; i++) {
    cpu_step *step = body->steps.data[i];
    for (uint32_t k = 0; k < step->body_count; k++) make_direct(&step->bodies[k]);
    cpu_step *matmul = step->kind == CPU_PACK_B ? product_of(body, i) : NULL;
    if (!matmul) {
      body->steps.data[kept++] = step;
      continue;
    }
    cpu_gemm *g = matmul->descriptor;
    g->direct = true;
    matmul->args.data[g->epilogue_args + 1] = step->args.data[0];
    ten_vec_free(&step->args);
    ten_vec_free(&step->inputs);
    ten_vec_free(&step->roots);
    ten_vec_free(&step->stages);
  }
  body->steps.count = kept;
}

void cpu_plan_direct(cpu_plan *plan) { make_direct(&plan->body); }
