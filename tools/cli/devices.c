/* devices.c: `tenfold devices`, and the table it prints. */
#include "cli/devices.h"

#include <stdio.h>
#include <string.h>

#include "backend/cache.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "driver/devices.h"

/* Without a cache the program still runs, but is compiled each time. */
static void warn_of_cache(void) {
  ten_status *status = ten_cache_check();
  ten_log log;
  ten_status *wrong = cli_log_open(&log); /* already reported by the device lookup */
  if (!wrong && status && ten_status_code(status) == TEN_INVALID) ten_log_warn(&log, "%s", ten_status_message(status));
  ten_status_free(wrong);
  ten_status_free(status);
}

ten_status *cli_device_find(const char *name, const ten_backend **out_device) {
  warn_of_cache();
  *out_device = name ? ten_backend_find(ten_str_of(name)) : ten_backends[0];
  if (*out_device) return NULL;
  const char *colon = strrchr(name, ':');
  const bool numbered = colon && ten_backend_find((ten_str){name, (size_t)(colon - name)});
  if (numbered || !strncmp(name, "pjrt:", 5) || strchr(name, '?') || strstr(name, "://"))
    return ten_backend_open(name, out_device);
  const char *names[32] = {0};
  for (size_t i = 0; ten_backends[i] && i < 31; i++) names[i] = ten_backends[i]->name;
  const char *nearest = cli_nearest(name, names);
  if (nearest) return ten_error(TEN_NOT_FOUND, "no device '%s'; did you mean '%s'?", name, nearest);
  return ten_error(TEN_NOT_FOUND, "no device '%s' ('tenfold devices' lists them)", name);
}

/* The hardware that it would run on here; or, with false, the reason why it cannot. */
static bool describe(const ten_backend *device, ten_buf *out) {
  ten_status *status = device->describe ? device->describe(device, out) : NULL;
  if (!status) return true;
  out->size = 0;
  ten_buf_adds(out, ten_status_message(status));
  ten_status_free(status);
  return false;
}

static void print_device(const ten_backend *device, json_t *list) {
  ten_buf text = {0};
  const bool usable = describe(device, &text);
  if (list) {
    json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:s}", "name", device->name, "summary", device->summary,
                                          "usable", usable, "here", text.size ? text.data : ""));
  } else {
    printf("%-8s  %s\n", device->name, device->summary);
    if (text.size) printf("          %s%s\n", usable ? "" : "not usable here: ", text.data);
  }
  ten_buf_free(&text);
}

typedef struct devices_values {
  bool json;
} devices_values;

static int devices_run(const cli_command *self, int argc, char **argv) {
  devices_values values = {0};
  cli_list operands;
  int code;
  if (!cli_parse(self, argc, argv, &values, &operands, &code)) goto done;
  if (operands.count) {
    code = cli_misuse(self, "takes no operands");
  } else {
    json_t *list = values.json ? json_array() : NULL;
    for (const ten_backend *const *device = ten_backends; *device; device++)
      if (!(*device)->internal) print_device(*device, list);
    if (list) cli_json_print(list);
  }
done:
  cli_list_free(&operands);
  return code;
}

static const cli_option devices_options[] = {
    {"json", 0, CLI_FLAG, NULL, "as JSON", offsetof(devices_values, json)},
    {0},
};

const cli_command cli_devices = {
    .name = "devices",
    .summary = "list what programs can run on",
    .operands = "[--json]",
    .description = "Lists the devices of this machine, the default first. Other commands take one with --device.",
    .options = devices_options,
    .run = devices_run,
};
