/* serve.c: `tenfold serve`: parses the command line and executes tenfold-serve, which links the libraries for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/places.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "serve/options.h"

typedef TEN_VEC(char *) words;

static void add_text(words *out, const char *name, const char *value) {
  if (!value) return;
  ten_buf text = {0};
  ten_buf_printf(&text, "%s=%s", name, value);
  ten_vec_push(out, ten_buf_take(&text));
}

static void add_number(words *out, const char *name, int64_t value) {
  if (!value) return;
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  add_text(out, name, text);
}

#define ADD_TEXT(name, value) add_text(&out, name, value)
#define ADD_COUNT(name, value) add_number(&out, name, value)
#define ADD_MANY(name, value) add_number(&out, name, value)
#define ADD_FLAG(name, value) add_number(&out, name, value)

/* The program's argv, ended by NULL. */
static words words_make(const char *program, const serve_options *values, const cli_list *models) {
  words out = {0};
  ten_vec_push(&out, ten_strdup(program));
#define OPTION(kind, field, name, value, help) ADD_##kind(name, values->field);
#include "serve/options.def"
#undef OPTION
  ten_vec_push(&out, ten_strdup("--"));
  for (size_t i = 0; i < models->count; i++) ten_vec_push(&out, ten_strdup(models->data[i]));
  ten_vec_push(&out, NULL);
  return out;
}

static int serve(const serve_options *values, const cli_list *models) {
  char program[4096];
  if (!ten_place_find(SERVE_PROGRAM, X_OK, program))
    return cli_fail(ten_error(TEN_NOT_FOUND,
                              "%s is not installed: it comes with a build that finds libnghttp2-dev, libssl-dev, "
                              "libprotobuf-c-dev and protobuf-c-compiler",
                              SERVE_PROGRAM));
  words argv = words_make(program, values, models);
  fflush(NULL);
  execv(program, argv.data);
  return cli_fail(ten_error(TEN_IO, "%s cannot be started: %s", program, strerror(errno)));
}

static int serve_run(const cli_command *self, int argc, char **argv) {
  serve_options values = {.drain = 30};
  cli_list operands;
  int code;
  if (cli_parse(self, argc, argv, &values, &operands, &code)) {
    if (!operands.count && !values.repository && !values.allow_programs)
      code = cli_misuse(self, "takes a MODEL, several, --repository DIR or --allow-programs");
    else if ((values.allow_compiled || values.isolate) && !values.allow_programs)
      code = cli_misuse(self, "--allow-compiled and --isolate go with --allow-programs");
    else if (values.poll && !values.repository)
      code = cli_misuse(self, "--poll goes with --repository");
    else
      code = serve(&values, &operands);
  }
  cli_list_free(&operands);
  return code;
}

static const cli_option serve_option_rows[] = {
#define OPTION(kind, field, name, value, help) {name, 0, CLI_##kind, value, help, offsetof(serve_options, field)},
#include "serve/options.def"
#undef OPTION
    {0},
};

const cli_command cli_serve = {
    .name = "serve",
    .summary = "serve models over HTTP and gRPC",
    .operands = "[NAME=]MODEL… | --repository DIR [options]",
    .description =
        "Serves programs (PyTorch archives, MLIR, compiled files) by the Open Inference Protocol, version 2, as "
        "KServe and Triton do: over gRPC, and over REST with JSON or binary tensors. A model is called like its file "
        "without the ending, unless NAME= comes before it. docs/serving.md says what is served, and to whom.\n\n"
        "Only this machine can reach it unless an address says otherwise, which takes --tls and --token-file. SIGTERM "
        "finishes the requests in progress and ends.",
    .options = serve_option_rows,
    .examples =
        (const char *const[]){"serve model.pt2", "serve --repository models --poll 10 --max-batch 8",
                              "serve net=model.pt2 --http 0.0.0.0:443 --tls cert.pem --token-file tokens", NULL},
    .run = serve_run,
};
