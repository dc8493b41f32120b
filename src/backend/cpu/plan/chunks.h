/* chunks.h: steps that are run for some images of a batch at a time. */
#ifndef TEN_CPU_CHUNKS_H
#define TEN_CPU_CHUNKS_H

#include "backend/cpu/plan/plan.h"

/* What a step takes of an argument to make one image. */
enum { CPU_PART_WHOLE, CPU_PART_IMAGE, CPU_PART_SCRATCH, CPU_PART_UNSEEN };

/* images.c: how many images the step makes that can be made one by one, and by arg what it takes for one of them.
 * 0: it cannot be taken apart so. */
int64_t cpu_step_images(cpu_plan *plan, const cpu_step *step, uint8_t *parts);
/* The step, from now on for `taken` of its images. */
void cpu_step_take_images(cpu_plan *plan, cpu_step *step, int64_t images, int64_t taken);

#endif
