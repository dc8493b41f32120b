/* doctor.c: `tenfold doctor`: what this machine has, what it lacks, and the command that installs it. */
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/codegen/llvm.h"
#include "backend/pjrt/device.h"
#include "base/arena.h"
#include "base/environment.h"
#include "base/term.h"
#include "base/thread.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/output.h"
#include "driver/devices.h"
#include "tenfold/version.h"

typedef struct finding {
  const char *name, *what; /* what it is for */
  const char *get;         /* the command that installs it */
  bool there;
  ten_buf version;
} finding;

typedef TEN_VEC(finding) findings;

static void find_llvm(findings *list) {
  finding llvm = {.name = "LLVM 19", .what = "native code for CPUs", .get = "apt-get install libllvm19"};
  unsigned version[3];
  ten_status *status = ten_llvm_version(version);
  llvm.there = !status;
  if (llvm.there) ten_buf_printf(&llvm.version, "%u.%u.%u", version[0], version[1], version[2]);
  ten_status_free(status);
  ten_vec_push(list, llvm);
}

/* A library is present if it can be loaded. */
static void find_library(findings *list, const char *name, const char *what, const char *get, const char *file) {
  finding found = {.name = name, .what = what, .get = get};
  void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  found.there = library != NULL;
  if (library) {
    ten_buf_adds(&found.version, file);
    dlclose(library);
  }
  ten_vec_push(list, found);
}

/* The Python for `import tenfold`: of TENFOLD_PYTHON, the active environment, the project, or the system. */
static void find_python(ten_buf *path) {
  const char *chosen = ten_env_text(TEN_ENV_PYTHON), *active = getenv("VIRTUAL_ENV");
  if (chosen) {
    ten_buf_adds(path, chosen);
    return;
  }
  if (active) {
    ten_buf_printf(path, "%s/bin/python", active);
    if (!access(path->data, X_OK)) return;
    path->size = 0;
  }
  char here[4096];
  const ssize_t size = readlink("/proc/self/exe", here, sizeof here - 1);
  for (ssize_t i = size, level = 0; i > 0 && level < 5;
       level++) { /* build/tools/cli/tenfold is four levels below the project */
    while (i > 0 && here[--i] != '/') {
    }
    path->size = 0;
    ten_buf_printf(path, "%.*s/.venv/bin/python", (int)i, here);
    if (!access(path->data, X_OK)) return;
  }
  path->size = 0;
  ten_buf_adds(path, "python3");
}

static void find_python_packages(findings *list, const char *python) {
  static const struct {
    const char *name, *what, *get;
  } packages[] = {
      {"torch", "PyTorch programs", "pip install torch==2.13.0"},
      {"jax", "JAX programs", "pip install jax==0.10.2"},
      {"libtpu", "compiling for TPUs", "pip install libtpu (x86_64 only)"},
      {"numpy", "arrays in and out of Python", "pip install numpy"},
      {"ml_dtypes", "bf16 and 8-bit floats in Python", "pip install ml_dtypes"},
  };
  enum { COUNT = sizeof packages / sizeof *packages };
  /* One start of Python for all checks: it prints a word for each, "-" for what is missing. */
  ten_buf script = {0}, answer = {0};
  ten_buf_adds(&script,
               "import importlib.metadata as m\ndef v(n):\n try: return m.version(n)\n except Exception: return '-'\n"
               "import sys; print('%d.%d.%d' % sys.version_info[:3]");
  for (size_t i = 0; i < COUNT; i++) ten_buf_printf(&script, ", v('%s')", packages[i].name);
  ten_buf_addc(&script, ')');
  machine_ask((const char *const[]){python, "-c", script.data, NULL}, &answer);

  char *state = NULL, *word = answer.size ? strtok_r(answer.data, " ", &state) : NULL;
  finding interpreter = {
      .name = "Python", .what = "import tenfold", .get = "apt-get install python3", .there = word != NULL};
  if (word) ten_buf_printf(&interpreter.version, "%s (%s)", word, python);
  ten_vec_push(list, interpreter);
  for (size_t i = 0; i < COUNT; i++) {
    word = word ? strtok_r(NULL, " ", &state) : NULL;
    finding package = {.name = packages[i].name, .what = packages[i].what, .get = packages[i].get};
    package.there = word && strcmp(word, "-") != 0;
    if (package.there) ten_buf_adds(&package.version, word);
    ten_vec_push(list, package);
  }
  ten_buf_free(&script);
  ten_buf_free(&answer);
}

static void find_tpu(findings *list) {
  finding tpu = {.name = "TPU", .what = "running on a TPU", .get = "a TPU machine"};
  glob_t found;
  if (!glob("/dev/accel[0-9]*", 0, NULL, &found)) {
    tpu.there = found.gl_pathc > 0;
    ten_buf_printf(&tpu.version, "%zu chips", (size_t)found.gl_pathc);
    globfree(&found);
  }
  ten_vec_push(list, tpu);
}

/* The libraries themselves, where the devices of these names look for them. */
static void find_plugin(findings *list, const char *device, const char *what, const char *get) {
  finding found = {.name = device, .what = what, .get = get};
  char *path = NULL;
  ten_status *status = ten_pjrt_find(device, &path);
  found.there = !status;
  if (path) ten_buf_adds(&found.version, path);
  free(path);
  ten_status_free(status);
  ten_vec_push(list, found);
}

/* A device whose driver says itself what it has. */
static void find_device(findings *list, const char *device, const char *name, const char *what, const char *get) {
  finding found = {.name = name, .what = what, .get = get};
  const ten_backend *backend = ten_backend_find(ten_str_of(device));
  ten_status *status = backend->describe(backend, &found.version);
  found.there = !status;
  ten_status_free(status);
  ten_vec_push(list, found);
}

extern char **environ;

/* Checks the variables that are set, and names that only resemble one. Calls `tell` with the problem, or
 * NULL. */
static void walk_environment(void (*tell)(void *user, const char *name, const char *value, const char *wrong),
                             void *user) {
  for (ten_env variable = 0; variable < TEN_ENV_COUNT; variable++) {
    const char *value = ten_env_text(variable);
    if (!value) continue;
    ten_status *status = ten_env_check_one(variable);
    tell(user, ten_env_rows[variable].name, value, status ? ten_status_message(status) : NULL);
    ten_status_free(status);
  }
  for (char **at = environ; *at; at++) {
    const size_t size = strcspn(*at, "=");
    bool known = strncmp(*at, "TENFOLD_", 8) != 0;
    for (ten_env variable = 0; variable < TEN_ENV_COUNT && !known; variable++)
      known = strlen(ten_env_rows[variable].name) == size && !memcmp(ten_env_rows[variable].name, *at, size);
    if (known) continue;
    ten_buf name = {0};
    ten_buf_add(&name, *at, size);
    tell(user, name.data, *at + size + ((*at)[size] == '='),
         "not a variable that is read ('tenfold help environment')");
    ten_buf_free(&name);
  }
}

static void tell_json(void *user, const char *name, const char *value, const char *wrong) {
  json_array_append_new(user, json_pack("{s:s, s:s, s:b, s:s}", "name", name, "value", value, "valid", !wrong, "wrong",
                                        wrong ? wrong : ""));
}

static void tell_text(void *user, const char *name, const char *value, const char *wrong) {
  bool *any = user;
  if (!*any) printf("\nenvironment\n");
  *any = true;
  printf("  %s=%s%s%s\n", name, value, wrong ? "  wrong: " : "", wrong ? wrong : "");
}

static json_t *report_json(const findings *list) {
  ten_buf system = {0}, cpu = {0};
  machine_system(&system);
  machine_cpu(&cpu);
  machine_feature features[32];
  const size_t count = machine_features(features, 32);
  json_t *flags = json_object(), *devices = json_array(), *found = json_array();
  for (size_t i = 0; i < count; i++) json_object_set_new(flags, features[i].name, json_boolean(features[i].there));
  for (const ten_backend *const *device = ten_backends; *device; device++)
    if (!(*device)->internal) json_array_append_new(devices, json_string((*device)->name));
  for (size_t i = 0; i < list->count; i++) {
    const finding *each = &list->data[i];
    json_array_append_new(found, json_pack("{s:s, s:b, s:s, s:s, s:s}", "name", each->name, "found", each->there,
                                           "version", each->version.size ? each->version.data : "", "for", each->what,
                                           "get", each->there ? "" : each->get));
  }
  json_t *root =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:f, s:o, s:o, s:o}", "tenfold", TENFOLD_VERSION, "stablehlo",
                TENFOLD_STABLEHLO_VERSION, "system", system.data, "architecture", machine_architecture(), "cpu",
                cpu.size ? cpu.data : "", "cores", (json_int_t)ten_cpu_count(), "memory_gib", machine_memory_gib(),
                "features", flags, "devices", devices, "found", found);
  json_t *environment = json_array();
  walk_environment(tell_json, environment);
  json_object_set_new(root, "environment", environment);
  ten_buf_free(&system);
  ten_buf_free(&cpu);
  return root;
}

static void report_text(const findings *list) {
  ten_buf system = {0}, cpu = {0};
  machine_system(&system);
  machine_cpu(&cpu);
  printf("tenfold   %s, StableHLO %s\n", TENFOLD_VERSION, TENFOLD_STABLEHLO_VERSION);
  printf("system    %s\n", system.data);
  printf("cpu       %s, %s, %zu cores, %.1f GiB of memory\n", cpu.size ? cpu.data : "unknown", machine_architecture(),
         ten_cpu_count(), machine_memory_gib());
  ten_buf_free(&system);
  ten_buf_free(&cpu);
  machine_feature features[32];
  const size_t count = machine_features(features, 32);
  for (int there = 1; there >= 0; there--) {
    printf(there ? "features " : "     not ");
    for (size_t i = 0; i < count; i++)
      if (features[i].there == there) printf(" %s", features[i].name);
    putchar('\n');
  }
  printf("devices  ");
  for (const ten_backend *const *device = ten_backends; *device; device++)
    if (!(*device)->internal) printf(" %s", (*device)->name);
  printf("\n\n");
  const bool color = ten_term_has_color(stdout);
  for (size_t i = 0; i < list->count; i++) {
    const finding *each = &list->data[i];
    const char *mark =
        each->there ? (color ? "\033[32mfound  \033[0m" : "found  ") : (color ? "\033[33mmissing\033[0m" : "missing");
    printf("%s  %-10s %-32s ", mark, each->name, each->what);
    printf(each->there ? "%s\n" : "get it: %s\n", each->there ? each->version.data : each->get);
  }
  bool any = false;
  walk_environment(tell_text, &any);
}

typedef struct doctor_values {
  bool json;
} doctor_values;

static int doctor_run(const cli_command *self, int argc, char **argv) {
  doctor_values values = {0};
  cli_list operands;
  int code;
  findings list = {0};
  if (!cli_parse(self, argc, argv, &values, &operands, &code)) goto done;
  if (operands.count) {
    code = cli_misuse(self, "takes no operands");
    goto done;
  }
  ten_buf python = {0};
  find_python(&python);
  find_llvm(&list);
  find_python_packages(&list, python.data);
  find_device(&list, "cuda", "CUDA", "NVIDIA GPUs", "NVIDIA's driver; pip install nvidia-cuda-nvrtc");
  find_library(&list, "OpenCL", "other GPUs", "apt-get install ocl-icd-libopencl1", "libOpenCL.so.1");
  find_device(&list, "webgpu", "WebGPU", "other GPUs", "pip install wgpu; apt-get install mesa-vulkan-drivers");
  find_plugin(&list, "cuda-xla", "NVIDIA GPUs, by JAX's plugin", "pip install \"jax[cuda13]\"");
  find_tpu(&list);
  ten_buf_free(&python);
  if (values.json) {
    cli_json_print(report_json(&list));
  } else {
    report_text(&list);
  }
  for (size_t i = 0; i < list.count; i++) ten_buf_free(&list.data[i].version);
done:
  ten_vec_free(&list);
  cli_list_free(&operands);
  return code;
}

static const cli_option doctor_options[] = {
    {"json", 0, CLI_FLAG, NULL, "as JSON", offsetof(doctor_values, json)},
    {0},
};

const cli_command cli_doctor = {
    .name = "doctor",
    .summary = "say what this machine has, what it lacks and how to get it",
    .operands = "[--json]",
    .description =
        "Reports versions, the processor and its features, and the libraries and Python packages that Tenfold can "
        "use, each with what it is for and, when it is missing, the command that gets it; and the environment variables that "
        "are set, with what is wrong about them.\n\n"
        "Python packages are looked for in the active virtual environment, else in the project's .venv, else in the "
        "system's python3.",
    .options = doctor_options,
    .run = doctor_run,
};
