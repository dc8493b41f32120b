/* test_plugin.c: a PJRT plugin that fails as it is told. Whatever it is not told to break it hands on to
 * libtenfold_pjrt.so; ahead-of-time compilation, which that one lacks, is done here with its client.
 *
 * TEST_PLUGIN in the environment, or test_plugin_break() from a test, says what to break, as WAY=CALL or WAY alone:
 *   fail=CALL         the call answers with an error that has a payload
 *   missing=CALL      the slot of the call is null
 *   nothing=CALL      the call succeeds and gives nothing back
 *   crash=CALL        the process gets SIGSEGV;  exit=CALL  it exits with status 7, after printing a line
 *   hang=CALL         PJRT_Event_OnReady never calls back
 *   late=CALL         PJRT_Event_OnReady calls back later, from another thread
 *   grown             a later version, whose structs are longer than those of today
 *   none, old, new, short, tiny, mute     of GetPjrtApi: no table, another version, a table too small, no error calls
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/pjrt/abi.h"

static const PJRT_Api *real;
static PJRT_Api table;
static char broken[128];
static PJRT_Error mine; /* the error of a call that was told to fail */
static const char *mine_message = "injected failure";

__attribute__((visibility("default"))) void test_plugin_break(const char *how);
__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);

void test_plugin_break(const char *how) { snprintf(broken, sizeof broken, "%s", how ? how : ""); }

static const char *way(const char *call) {
  static __thread char found[32];
  const char *equals = strchr(broken, '=');
  if (!equals || strcmp(equals + 1, call)) return NULL;
  snprintf(found, sizeof found, "%.*s", (int)(equals - broken), broken);
  return found;
}

/* Answers for a call that is broken; false: it is to be done. */
static bool interfere(const char *call, size_t struct_size, size_t least, PJRT_Error **out) {
  *out = NULL;
  if (struct_size < 2 * sizeof(void *)) { /* the caller forgot to say how big its struct is */
    mine_message = "the args have no struct_size";
    *out = &mine;
    return true;
  }
  if (!strcmp(broken, "grown") && struct_size < least + 2 * sizeof(void *)) { /* our structs have become longer */
    mine_message = "the args are too short";
    *out = &mine;
    return true;
  }
  const char *how = way(call);
  if (!how) return false;
  mine_message = "injected failure";
  if (!strcmp(how, "fail")) return *out = &mine, true;
  if (!strcmp(how, "nothing")) return true;
  if (!strcmp(how, "crash")) {
    fprintf(stderr, "about to crash\n");
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (!strcmp(how, "exit")) {
    printf("about to exit\n");
    fflush(stdout);
    _exit(7);
  }
  return false;
}

/* Errors of our own, and those of the other. */
static void wrap_PJRT_Error_Destroy(PJRT_Error_Destroy_Args *args) {
  if (args->error != &mine) real->PJRT_Error_Destroy_(args);
}
static void wrap_PJRT_Error_Message(PJRT_Error_Message_Args *args) {
  if (args->error != &mine) {
    real->PJRT_Error_Message_(args);
    return;
  }
  args->message = mine_message;
  args->message_size = strlen(mine_message);
}
static PJRT_Error *wrap_PJRT_Error_GetCode(PJRT_Error_GetCode_Args *args) {
  if (args->error != &mine) return real->PJRT_Error_GetCode_(args);
  args->code = PJRT_Error_Code_DATA_LOSS;
  return NULL;
}
static PJRT_Error *wrap_PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args *args) {
  if (args->error != &mine) return real->PJRT_Error_ForEachPayload_(args);
  args->visitor("why", 3, "because\n", 8, args->user_arg);
  return NULL;
}

/* The slots by number: one wrapper for each, made by the preprocessor from the table itself. */
enum {
#define NUMBER(call, result) SLOT_##call,
  PJRT_CALLS(NUMBER)
#undef NUMBER
      SLOT_COUNT
};
static const char *const slot_names[] = {
#define NAME(call, result) #call,
    PJRT_CALLS(NAME)
#undef NAME
};

#define WRAP(call, result)                                                                                  \
  static result pass_##call(call##_Args *args) {                                                            \
    PJRT_Error *error;                                                                                      \
    return interfere(#call, args->struct_size, sizeof *args, &error) ? (result)error : real->call##_(args); \
  }
PJRT_CALLS(WRAP)
#undef WRAP

/* Topologies and compiling without a device. */
static PJRT_Client *client;

static PJRT_Error *make_client(void) {
  if (client) return NULL;
  PJRT_Client_Create_Args create = {.struct_size = sizeof create};
  PJRT_Error *error = real->PJRT_Client_Create_(&create);
  client = create.client;
  return error;
}

static PJRT_Error *topology_create(PJRT_TopologyDescription_Create_Args *args) {
  PJRT_Error *error;
  if (interfere("PJRT_TopologyDescription_Create", args->struct_size, sizeof *args, &error)) return error;
  if (args->topology_name_size == 7 && !memcmp(args->topology_name, "nowhere", 7)) {
    mine_message = "no such topology";
    return &mine;
  }
  error = make_client();
  if (error) return error;
  PJRT_Client_TopologyDescription_Args get = {.struct_size = sizeof get, .client = client};
  error = real->PJRT_Client_TopologyDescription_(&get);
  args->topology = get.topology;
  return error;
}

static PJRT_Error *topology_destroy(PJRT_TopologyDescription_Destroy_Args *args) {
  PJRT_Error *error;
  interfere("PJRT_TopologyDescription_Destroy", args->struct_size, sizeof *args, &error);
  return error; /* it is the client's */
}

static PJRT_Error *compile(PJRT_Compile_Args *args) {
  PJRT_Error *error;
  if (interfere("PJRT_Compile", args->struct_size, sizeof *args, &error)) return error;
  PJRT_Client_Compile_Args make = {.struct_size = sizeof make,
                                   .client = client,
                                   .program = args->program,
                                   .compile_options = args->compile_options,
                                   .compile_options_size = args->compile_options_size};
  error = real->PJRT_Client_Compile_(&make);
  if (error) return error;
  PJRT_LoadedExecutable_GetExecutable_Args get = {.struct_size = sizeof get, .loaded_executable = make.executable};
  error = real->PJRT_LoadedExecutable_GetExecutable_(&get);
  args->executable = get.executable;
  PJRT_LoadedExecutable_Destroy_Args destroy = {.struct_size = sizeof destroy, .executable = make.executable};
  return error ? error : real->PJRT_LoadedExecutable_Destroy_(&destroy);
}

typedef struct later {
  PJRT_Event_OnReadyCallback callback;
  void *user;
} later;

static void *call_later(void *user) {
  later *l = user;
  usleep(20000);
  l->callback(NULL, l->user);
  free(l);
  return NULL;
}

static PJRT_Error *on_ready(PJRT_Event_OnReady_Args *args) {
  PJRT_Error *error;
  if (interfere("PJRT_Event_OnReady", args->struct_size, sizeof *args, &error)) return error;
  const char *how = way("PJRT_Event_OnReady");
  if (how && !strcmp(how, "hang")) return NULL;
  if (how && !strcmp(how, "late")) {
    later *l = malloc(sizeof *l);
    *l = (later){args->callback, args->user_arg};
    pthread_t thread;
    pthread_create(&thread, NULL, call_later, l);
    pthread_detach(thread);
    return NULL;
  }
  return real->PJRT_Event_OnReady_(args);
}

static void fill_table(void) {
  table = *real;
  void **slots = (void **)(void *)&table.PJRT_Error_Destroy_;
#define FILL(call, result) table.call##_ = pass_##call;
  PJRT_CALLS(FILL)
#undef FILL
  table.PJRT_Error_Destroy_ = wrap_PJRT_Error_Destroy;
  table.PJRT_Error_Message_ = wrap_PJRT_Error_Message;
  table.PJRT_Error_GetCode_ = wrap_PJRT_Error_GetCode;
  table.PJRT_Error_ForEachPayload_ = wrap_PJRT_Error_ForEachPayload;
  table.PJRT_TopologyDescription_Create_ = topology_create;
  table.PJRT_TopologyDescription_Destroy_ = topology_destroy;
  table.PJRT_Compile_ = compile;
  table.PJRT_Event_OnReady_ = on_ready;
  for (int i = 0; i < SLOT_COUNT; i++) {
    const char *how = way(slot_names[i]);
    if (how && !strcmp(how, "missing")) slots[i] = NULL;
  }
}

const PJRT_Api *GetPjrtApi(void) {
  const char *said = getenv("TEST_PLUGIN");
  if (said) test_plugin_break(said);
  if (!real) {
    void *library = dlopen(TEST_PLUGIN_REAL, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return NULL;
    }
    const PJRT_Api *(*get)(void);
    *(void **)&get = dlsym(library, "GetPjrtApi");
    real = get();
  }
  fill_table();
  if (!strcmp(broken, "none")) return NULL;
  if (!strcmp(broken, "new")) table.pjrt_api_version.major_version = 1;
  if (!strcmp(broken, "old")) table.pjrt_api_version.minor_version = 12;
  if (!strcmp(broken, "short")) table.struct_size = 200;
  if (!strcmp(broken, "tiny")) table.struct_size = 8;
  if (!strcmp(broken, "grown")) table.pjrt_api_version.minor_version = 999;
  if (!strcmp(broken, "mute")) table.PJRT_Error_Message_ = NULL;
  return &table;
}
