/* train.c: `tenfold train`: trains a PyTorch model with a loss, an optimizer and data, without Python. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/settings.h"
#include "base/clock.h"
#include "base/size.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/training.h"
#include "train/trainer.h"

typedef struct train_values {
  cli_list libraries;
  const char *data, *device, *save, *resume, *metrics, *precision, *trace;
  int64_t epochs, steps, save_every, seed;
  bool in_order, json, profile, exact_conv, quiet;
  cli_file profile_to;
  cli_training training;
} train_values;

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

typedef struct run {
  const train_values *values;
  ten_trainer *trainer;
  ten_dataset *data;
  ten_position position;
  FILE *metrics;
  double loss, seconds; /* of the last step; of all steps */
  int64_t steps;
  cli_spans spans; /* with --trace */
} run;

static ten_status *save(const run *r) {
  return r->values->save ? ten_trainer_save(r->trainer, r->values->save, &r->position) : NULL;
}

static ten_status *report_step(const run *r, int64_t epoch, double seconds) {
  if (!r->metrics) return NULL;
  const int size =
      fprintf(r->metrics, "{\"step\": %" PRId64 ", \"epoch\": %" PRId64 ", \"loss\": %.9g, \"seconds\": %.6f}\n",
              ten_trainer_steps(r->trainer), epoch, r->loss, seconds);
  if (size < 0 || fflush(r->metrics)) return ten_error(TEN_IO, "%s: writing: %s", r->values->metrics, strerror(errno));
  return NULL;
}

static ten_status *train(run *r) {
  const train_values *values = r->values;
  const int64_t batches = ten_dataset_batches(r->data), epochs = values->epochs ? values->epochs : 1;
  const int64_t begun = r->position.epoch * batches + r->position.batch;
  int64_t total;
  if (!ten_mul_i64(epochs, batches, &total)) total = INT64_MAX; /* --steps or a signal ends it */
  total -= begun;
  if (values->steps && values->steps - begun < total) total = values->steps - begun;
  if (total <= 0)
    fprintf(stderr,
            "tenfold: nothing is left to train: %" PRId64 " steps are done, --epochs and --steps allow no more\n",
            begun);
  ten_progress progress;
  ten_progress_start(&progress, cli_progress_stream(values->quiet), "train", total > 0 ? (size_t)total : 0);
  ten_status *status = NULL;
  const double start = ten_clock();
  for (int64_t i = 0; i < total && !status && !interrupted; i++) {
    ten_tensor **inputs;
    int64_t epoch, batch;
    const double before = ten_clock();
    status = ten_dataset_next(r->data, &inputs, &epoch, &batch);
    const double begin = ten_clock();
    if (!status) status = ten_trainer_step(r->trainer, inputs, &r->loss);
    if (status) break;
    if (values->trace) {
      ten_vec_push(&r->spans, (cli_span){"data", before, begin - before});
      ten_vec_push(&r->spans, (cli_span){"training step", begin, ten_clock() - begin});
    }
    r->steps++;
    r->position.epoch = batch + 1 == batches ? epoch + 1 : epoch;
    r->position.batch = (batch + 1) % batches;
    status = report_step(r, epoch, ten_clock() - begin);
    ten_progress_step(&progress, "epoch %" PRId64 "/%" PRId64 "  loss %.5f  %.1f samples/s", epoch + 1, epochs, r->loss,
                      (double)r->steps * (double)(ten_dataset_samples(r->data) / batches) / (ten_clock() - start));
    if (!status && values->save_every && r->steps % values->save_every == 0) status = save(r);
  }
  r->seconds = ten_clock() - start;
  ten_progress_clear(&progress);
  ten_status *saved = r->steps || !status ? save(r) : NULL; /* after a failure too, so that progress is not lost */
  status = ten_first_error(status, saved);
  if (!status && interrupted)
    status = ten_error(TEN_CANCELLED, "interrupted after %" PRId64 " steps%s", r->steps,
                       values->save ? "; the state is saved" : "");
  return status;
}

static void print_summary(const run *r, const char *device, double compile_seconds) {
  const size_t parameters = ten_trainer_parameters(r->trainer);
  if (r->values->json) {
    ten_memory bytes;
    json_t *memory = NULL;
    if (ten_executable_memory(ten_trainer_executable(r->trainer), &bytes))
      memory = json_pack("{s:I, s:I, s:I}", "state", (json_int_t)(bytes.arguments + bytes.results), "work",
                         (json_int_t)bytes.work, "all", (json_int_t)(bytes.arguments + bytes.results + bytes.work));
    cli_json_print(json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:s?, s:o?}", "device", device, "parameters",
                             (json_int_t)parameters, "steps", (json_int_t)ten_trainer_steps(r->trainer), "loss",
                             r->loss, "compile_seconds", compile_seconds, "seconds", r->seconds, "saved",
                             r->values->save, "memory", memory));
    return;
  }
  printf("%" PRId64 " steps in %.2f s (%.1f ms each), compiled in %.2f s: loss %.6f, %zu parameters\n", r->steps,
         r->seconds, r->steps ? 1e3 * r->seconds / (double)r->steps : 0, compile_seconds, r->loss, parameters);
  if (r->values->save) printf("saved to %s\n", r->values->save);
}

/* Takes ownership of the trainer. */
static ten_status *train_with(ten_trainer *trainer, const char *device, double compile_seconds,
                              const train_values *values) {
  run r = {.values = values, .trainer = trainer, .position.seed = (uint64_t)values->seed};
  if (values->trace) {
    ten_vec_push(&r.spans, ((cli_span){"compile", ten_clock() - compile_seconds, compile_seconds}));
    cli_spans_add_transfers(&r.spans);
  }
  size_t count;
  const ten_dataset_field *fields = ten_trainer_fields(r.trainer, &count);
  ten_trainer_seed(r.trainer, r.position.seed);
  ten_status *status = values->resume ? ten_trainer_resume(r.trainer, values->resume, &r.position) : NULL;
  const ten_dataset_options order = {
      .seed = r.position.seed, .shuffle = !values->in_order, .epoch = r.position.epoch, .batch = r.position.batch};
  if (!status) status = ten_dataset_open(values->data, fields, count, &order, &r.data);
  if (!status && values->metrics && !(r.metrics = fopen(values->metrics, values->resume ? "a" : "w")))
    status = ten_error(TEN_IO, "%s: %s", values->metrics, strerror(errno));
  ten_profile profile = {.timeline = values->trace};
  ten_executable *executable = ten_trainer_executable(r.trainer);
  if (!status && (values->profile || (values->trace && executable->backend->profile)))
    status = ten_executable_profile(executable, &profile);
  if (!status) status = train(&r);
  if (!status) print_summary(&r, device, compile_seconds);
  ten_steps steps = {0};
  if (!status && values->trace) {
    ten_status_free(ten_executable_steps(ten_trainer_executable(r.trainer), &steps));
    status = cli_trace_write(values->trace, &r.spans, &profile, &steps);
  }
  ten_steps_free(&steps);
  if (!status && values->profile) cli_profile_print(stderr, &profile, (size_t)r.steps);
  ten_profile_free(&profile);
  cli_spans_add_transfers(NULL);
  ten_vec_free(&r.spans);
  if (r.metrics) fclose(r.metrics);
  ten_dataset_close(r.data);
  ten_trainer_destroy(r.trainer);
  return status;
}

static ten_status *train_file(const char *path, const train_values *values) {
  const double start = ten_clock();
  ten_trainer *trainer;
  if (ten_step_file_at(path)) {
    const char *given = cli_training_given(&values->training);
    if (!given && (values->precision || values->exact_conv)) given = values->precision ? "precision" : "exact-conv";
    if (given)
      return ten_error(TEN_INVALID, "%s is a compiled training step: '--%s' was decided when it was compiled", path,
                       given);
    if (values->device && strcmp(values->device, "cpu"))
      return ten_error(TEN_UNSUPPORTED, "%s is compiled for the CPU", path);
    TEN_TRY(ten_trainer_open(path, &trainer));
    return train_with(trainer, "cpu", ten_clock() - start, values);
  }
  ten_recipe recipe;
  const ten_backend *device;
  ten_module *module;
  ten_settings settings;
  TEN_TRY(ten_settings_parse(values->precision, values->exact_conv, &settings));
  TEN_TRY(cli_training_recipe(&values->training, &recipe));
  TEN_TRY(cli_device_find(values->device, &device));
  TEN_TRY(ten_recipe_load(&recipe, path, &module));
  cli_progress_start("compile", values->quiet);
  cli_progress_follow(&settings);
  ten_status *status = ten_trainer_create(device, module, &settings, &trainer);
  cli_progress_stop();
  if (!status) status = train_with(trainer, device->name, ten_clock() - start, values);
  ten_module_destroy(module);
  return status;
}

static int run_train(const cli_command *self, int argc, char **argv) {
  train_values values = {0};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (operands.count != 1)
      code = cli_misuse(self, "takes one MODEL or step file");
    else if (!values.data)
      code = cli_misuse(self, "needs --data");
    else {
      values.profile = values.profile_to.given && !values.profile_to.path;
      if (values.profile_to.path) values.trace = values.profile_to.path;
      struct sigaction action = {.sa_handler = on_interrupt};
      sigaction(SIGINT, &action, NULL);
      sigaction(SIGTERM, &action, NULL);
      ten_status *status = train_file(operands.data[0], &values);
      if (status) code = cli_fail(status);
    }
  }
  cli_list_free(&operands);
  cli_list_free(&values.libraries);
  return code;
}

static const cli_option train_options[] = {
    {"data", 0, CLI_TEXT, "DIR|FILE.npz",
     "samples: NAME.npy for each input and target.npy (or x.npy and y.npy), or idx files",
     offsetof(train_values, data)},
    CLI_TRAINING_OPTIONS(train_values),
    {"precision", 0, CLI_TEXT, "f32|bf16",
     "bf16: matmuls and convolutions read bf16 and add up in f32; weights and state stay f32 (cpu)",
     offsetof(train_values, precision)},
    {"exact-conv", 0, CLI_FLAG, NULL, "no Winograd: every convolution sums its own products (cpu)",
     offsetof(train_values, exact_conv)},
    {"epochs", 0, CLI_MANY, "N", "passes over the data (1)", offsetof(train_values, epochs)},
    {"steps", 0, CLI_MANY, "N", "stop after N steps, counted from the very beginning", offsetof(train_values, steps)},
    {"seed", 0, CLI_COUNT, "N", "of the order of the samples (0)", offsetof(train_values, seed)},
    {"in-order", 0, CLI_FLAG, NULL, "take the samples as they lie", offsetof(train_values, in_order)},
    {"save", 0, CLI_OUTPUT, "FILE.safetensors",
     "write a checkpoint at the end, and FILE.state.safetensors to resume from", offsetof(train_values, save)},
    {"save-every", 0, CLI_MANY, "N", "and after every N steps", offsetof(train_values, save_every)},
    {"resume", 0, CLI_TEXT, "FILE.safetensors", "go on from a checkpoint, as if there had been no break",
     offsetof(train_values, resume)},
    {"metrics", 0, CLI_OUTPUT, "FILE.jsonl", "one line of JSON for each step", offsetof(train_values, metrics)},
    {"device", 'd', CLI_TEXT, "NAME", "what to train on ('tenfold devices' lists them)",
     offsetof(train_values, device)},
    {"profile", 0, CLI_JSON, "FILE.json",
     "print where the time of a step goes, on stderr; or write it to FILE.json, as --trace does",
     offsetof(train_values, profile_to)},
    {"trace", 0, CLI_OUTPUT, "FILE.json", "write when each of its parts ran, as a trace for Perfetto",
     offsetof(train_values, trace)},
    {"json", 0, CLI_FLAG, NULL, "print the outcome as JSON", offsetof(train_values, json)},
    CLI_QUIET_OPTION(train_values, quiet),
    CLI_LIBRARY_OPTION(train_values),
    {0},
};

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model",
    .operands = "MODEL.pt2|STEP.ten --data DIR|FILE.npz [options]",
    .description =
        "Makes one program of the model's forward pass, the loss, all gradients and the optimizer's update, compiles it, and runs it over the "
        "data: no Python, one call a step. The batch is the one the model was exported with, or --batch. A step that 'tenfold compile --train' "
        "wrote has all that decided and starts at once.\n\n"
        "A checkpoint holds the parameters and buffers under the names of PyTorch's state_dict. Killed at any moment, a run that is resumed "
        "ends with the same bits as one that was not.",
    .options = train_options,
    .examples =
        (const char *const[]){
            "train model.pt2 --data mnist --optimizer adamw,lr=1e-3 --epochs 3 --save model.safetensors",
            "train model.pt2 --data samples.npz --loss mse --optimizer momentum,lr=0.1 --metrics log.jsonl", NULL},
    .run = run_train,
};
