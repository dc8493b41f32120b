/* aot.c: starts `tenfold-aot` and communicates with it, or compiles in this process. */
#include "backend/pjrt/aot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/pjrt/aot_wire.h"
#include "backend/pjrt/client.h"
#include "base/environment.h"
#include "base/places.h"
#include "base/proto.h"

extern char **environ;

struct ten_aot {
  char *path; /* owned; of the plugin */
  const char *name;
  ten_vhlo_version stablehlo;
  pjrt_plugin plugin; /* when compiling in this process */
  pid_t process;      /* otherwise */
  int ask, answer;    /* pipes */
  FILE *said;         /* its output */
};

/* The helper program: TENFOLD_AOT, or from the build or installation folder. Space-separated words. */
static ten_status *find_command(ten_buf *out) {
  const char *said = ten_env_text(TEN_ENV_AOT);
  if (said) {
    ten_buf_adds(out, said);
    return NULL;
  }
  char path[PATH_MAX];
  if (ten_place_find("tenfold-aot", X_OK, path)) {
    ten_buf_adds(out, path);
    return NULL;
  }
  return ten_error(TEN_NOT_FOUND,
                   "tenfold-aot is not installed with this program, nor does TENFOLD_AOT say where it is "
                   "(--no-isolate compiles in this process)");
}

static ten_status *start(ten_aot *aot) {
  ten_buf command = {0};
  ten_status *status = find_command(&command);
  char *words[64] = {0};
  size_t count = 0;
  char *state = NULL;
  for (char *word = status ? NULL : strtok_r(command.data, " ", &state); word && count < 63;
       word = strtok_r(NULL, " ", &state))
    words[count++] = word;
  int ask[2] = {-1, -1}, answer[2] = {-1, -1};
  aot->said = tmpfile();
  if (!status && (!aot->said || pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC)))
    status = ten_error(TEN_IO, "a process for the plugin cannot be set up: %s", strerror(errno));
  if (!status) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ask[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(aot->said), STDERR_FILENO);
    const int error = posix_spawnp(&aot->process, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
      aot->process = 0;
      status = ten_error(TEN_IO, "%s cannot be started: %s", words[0], strerror(error));
    }
  }
  if (ask[0] >= 0) close(ask[0]);
  if (answer[1] >= 0) close(answer[1]);
  aot->ask = ask[1];
  aot->answer = answer[0];
  ten_buf_free(&command);
  return status;
}

/* The last lines that the plugin printed, shortened: they often explain a crash. */
static void last_words(const ten_aot *aot, ten_buf *out) {
  enum { SHOWN = 600 };
  if (fseek(aot->said, 0, SEEK_END)) return;
  const long size = ftell(aot->said);
  char text[SHOWN + 1];
  if (size <= 0 || fseek(aot->said, size > SHOWN ? size - SHOWN : 0, SEEK_SET)) return;
  size_t got = fread(text, 1, SHOWN, aot->said);
  while (got && (text[got - 1] == '\n' || text[got - 1] == ' ')) got--;
  if (!got) return;
  const char *from = text;
  if (size > SHOWN) {
    const char *line = memchr(text, '\n', got);
    if (line) from = line + 1;
  }
  ten_buf_adds(out, "; it said:\n  ");
  for (; from < text + got; from++) {
    ten_buf_addc(out, *from);
    if (*from == '\n') ten_buf_adds(out, "  ");
  }
}

/* Error: the process ended before it answered. */
static ten_status *died(ten_aot *aot, const char *doing) {
  int how = 0;
  pid_t ended;
  do ended = waitpid(aot->process, &how, 0);
  while (ended < 0 && errno == EINTR);
  aot->process = 0;
  ten_buf words = {0};
  last_words(aot, &words);
  const char *said = words.size ? words.data : "";
  ten_status *status;
  if (ended > 0 && WIFSIGNALED(how))
    status = ten_error(TEN_INTERNAL, "%s crashed while %s (%s)%s", aot->name, doing, strsignal(WTERMSIG(how)), said);
  else
    status = ten_error(TEN_INTERNAL, "%s ended its process while %s (exit status %d)%s", aot->name, doing,
                       ended > 0 ? WEXITSTATUS(how) : -1, said);
  ten_buf_free(&words);
  return status;
}

/* Sends a request and reads the answer, which the caller frees. */
static ten_status *converse(ten_aot *aot, const ten_buf *question, const char *doing, ten_buf *out_answer) {
  if (!aot->process) return ten_error(TEN_INTERNAL, "%s has crashed before", aot->name);
  /* SIGPIPE from a dead process must not kill this one. */
  struct sigaction before, ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGPIPE, &ignore, &before);
  const bool done = wire_send(aot->ask, question) && wire_receive(aot->answer, out_answer);
  sigaction(SIGPIPE, &before, NULL);
  if (!done) return died(aot, doing);
  return wire_status((ten_str){out_answer->data, out_answer->size});
}

static ten_status *open_isolated(ten_aot *aot) {
  TEN_TRY(start(aot));
  ten_buf question = {0}, answer = {0};
  ten_proto_put_bytes(&question, WIRE_PLUGIN, ten_str_of(aot->path));
  ten_status *status = converse(aot, &question, "it was loaded", &answer);
  if (!status &&
      !ten_vhlo_version_parse(ten_proto_bytes((ten_str){answer.data, answer.size}, WIRE_STABLEHLO), &aot->stablehlo))
    status = ten_error(TEN_INTERNAL, "tenfold-aot does not say which StableHLO %s reads", aot->name);
  ten_buf_free(&question);
  ten_buf_free(&answer);
  return status;
}

ten_status *ten_aot_open(const char *plugin, bool isolate, ten_aot **out_aot) {
  *out_aot = NULL;
  ten_aot *aot = ten_alloc(sizeof *aot);
  *aot = (ten_aot){.path = ten_strdup(plugin), .ask = -1, .answer = -1};
  const char *slash = strrchr(aot->path, '/');
  aot->name = slash ? slash + 1 : aot->path;
  ten_status *status;
  if (isolate) {
    status = open_isolated(aot);
  } else {
    aot_set_up(aot->path);
    status = pjrt_plugin_load(aot->path, &aot->plugin);
    aot->stablehlo = aot->plugin.stablehlo;
  }
  if (status) {
    ten_aot_close(aot);
    return status;
  }
  *out_aot = aot;
  return NULL;
}

void ten_aot_close(ten_aot *aot) {
  if (!aot) return;
  if (aot->ask >= 0) close(aot->ask); /* end of its input stream: it exits */
  if (aot->answer >= 0) close(aot->answer);
  if (aot->process)
    while (waitpid(aot->process, NULL, 0) < 0 && errno == EINTR) continue;
  if (aot->said) fclose(aot->said);
  pjrt_plugin_free(&aot->plugin);
  free(aot->path);
  free(aot);
}

ten_vhlo_version ten_aot_stablehlo(const ten_aot *aot) { return aot->stablehlo; }

ten_status *ten_aot_compile(ten_aot *aot, const char *topology, ten_str topology_options, ten_str program,
                            ten_str options, ten_aot_result *out_result) {
  *out_result = (ten_aot_result){0};
  if (aot->plugin.api) return aot_compile_here(&aot->plugin, topology, topology_options, program, options, out_result);
  ten_buf question = {0}, answer = {0}, doing = {0};
  ten_proto_put_bytes(&question, WIRE_TOPOLOGY, ten_str_of(topology));
  ten_proto_put_bytes(&question, WIRE_TOPOLOGY_OPTIONS, topology_options);
  ten_proto_put_bytes(&question, WIRE_PROGRAM, program);
  ten_proto_put_bytes(&question, WIRE_OPTIONS, options);
  ten_buf_printf(&doing, "it compiled for %s", topology);
  ten_status *status = converse(aot, &question, doing.data, &answer);
  if (!status) wire_result((ten_str){answer.data, answer.size}, out_result);
  ten_buf_free(&question);
  ten_buf_free(&answer);
  ten_buf_free(&doing);
  return status;
}
