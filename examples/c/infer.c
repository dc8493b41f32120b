/* infer.c: loads a program, compiles it, runs it on buffers of its own, and prints the first results.
 *
 *   cc infer.c $(pkg-config --cflags --libs tenfold) -o infer && ./infer examples/mlp.mlir */
#include <stdio.h>
#include <stdlib.h>
#include <tenfold/executable.h>

enum { BUFFERS_MAX = 64, SHOWN = 4 };

static int fail(ten_status *status) {
  fprintf(stderr, "infer: %s\n", ten_status_text(status));
  ten_status_free(status);
  return 1;
}

/* Memory for a buffer of f32, filled with a ramp. */
static ten_buffer make_buffer(ten_buffer like) {
  like.data = calloc(1, like.bytes ? like.bytes : 1);
  if (like.data && like.dtype == TEN_F32)
    for (size_t i = 0; i < like.bytes / sizeof(float); i++) ((float *)like.data)[i] = (float)(i % 10) * 0.1f;
  return like;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: infer FILE\n");
    return 2;
  }
  ten_program *program;
  ten_executable *executable;
  ten_status *status = ten_program_load(argv[1], &program);
  if (status) return fail(status);
  status = ten_program_compile(program, NULL, &executable);
  ten_program_release(program);
  if (status) return fail(status);

  ten_buffer inputs[BUFFERS_MAX], outputs[BUFFERS_MAX];
  const size_t input_count = ten_executable_input_count(executable),
               output_count = ten_executable_output_count(executable);
  if (input_count > BUFFERS_MAX || output_count > BUFFERS_MAX) return 2;
  for (size_t i = 0; i < input_count; i++) inputs[i] = make_buffer(ten_executable_input(executable, i));
  for (size_t i = 0; i < output_count; i++) outputs[i] = make_buffer(ten_executable_output(executable, i));

  ten_cost cost = {.size = sizeof cost};
  status = ten_executable_cost(executable, &cost);
  if (status) return fail(status);
  printf("working memory %zu bytes, %.0f flops, %zu launches\n", cost.arena_bytes, cost.flops, cost.launches);

  status = ten_executable_execute(executable, inputs, input_count, outputs, output_count);
  if (status) return fail(status);

  ten_event *event; /* the same once more, in the background */
  status = ten_executable_start(executable, inputs, input_count, outputs, output_count, &event);
  if (!status) status = ten_event_wait(event);
  if (status) return fail(status);
  ten_event_release(event);

  for (size_t i = 0; i < output_count; i++) {
    printf("output %zu:", i);
    for (size_t k = 0; k < SHOWN && outputs[i].dtype == TEN_F32 && k < outputs[i].bytes / sizeof(float); k++)
      printf(" %g", (double)((float *)outputs[i].data)[k]);
    printf("\n");
    free(outputs[i].data);
  }
  for (size_t i = 0; i < input_count; i++) free(inputs[i].data);
  ten_executable_release(executable);
  return 0;
}
