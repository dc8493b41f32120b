/* chunks.h: steps that run for some images of a batch at a time. */
#ifndef TEN_CPU_CHUNKS_H
#define TEN_CPU_CHUNKS_H

#include "backend/cpu/plan/plan.h"

/* The part of an argument that a step needs for one image. */
enum { CPU_PART_WHOLE, CPU_PART_IMAGE, CPU_PART_SCRATCH, CPU_PART_UNSEEN };

/* images.c: how many images the step computes independently, and by arg the part it needs for one of them. 0: it cannot
 * be split by images. */
int64_t cpu_step_images(cpu_plan *plan, const cpu_step *step, uint8_t *parts);
/* Changes the step to compute `taken` of its images. */
void cpu_step_take_images(cpu_plan *plan, cpu_step *step, int64_t images, int64_t taken);

#endif
