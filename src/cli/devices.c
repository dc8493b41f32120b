/* devices.c: `tenfold devices`, and the table it prints. */
#include "cli/devices.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"

const cli_device cli_device_table[] = {
    {"interp", "the reference interpreter: every op and type, obviously right, slow"},
    {0},
};

ten_status *cli_device_find(const char *name, const cli_device **out_device) {
  *out_device = NULL;
  const char *names[16] = {0};
  for (size_t i = 0; cli_device_table[i].name && i < 15; i++) {
    names[i] = cli_device_table[i].name;
    if (!name || !strcmp(name, names[i])) return *out_device = &cli_device_table[i], NULL;
  }
  const char *nearest = cli_nearest(name, names);
  if (nearest) return ten_error(TEN_NOT_FOUND, "no device '%s'; did you mean '%s'?", name, nearest);
  return ten_error(TEN_NOT_FOUND, "no device '%s' ('tenfold devices' lists them)", name);
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
  } else if (values.json) {
    json_t *list = json_array();
    for (const cli_device *device = cli_device_table; device->name; device++)
      json_array_append_new(list, json_pack("{s:s, s:s}", "name", device->name, "summary", device->summary));
    cli_json_print(list);
  } else {
    for (const cli_device *device = cli_device_table; device->name; device++)
      printf("%-8s  %s\n", device->name, device->summary);
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
