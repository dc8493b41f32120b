/* inputs.c: a program's inputs: given files, and random numbers for the rest. */
#include "cli/inputs.h"

#include <string.h>
#include <unistd.h>

#include "cli/names.h"
#include "cli/values.h"

/* `--input NAME=FILE.npy` names the input; otherwise they are in order. An existing file whose name has a = is taken as
 * a file. */
static ten_status *which_input(const ten_op *func, const char *text, uint32_t *next, uint32_t *out_input,
                               const char **out_path) {
  const char *equals = strchr(text, '=');
  *out_path = text;
  *out_input = equals ? cli_input_find(func, (ten_str){text, (size_t)(equals - text)}) : UINT32_MAX;
  if (*out_input != UINT32_MAX) {
    *out_path = equals + 1;
  } else if (equals && access(text, F_OK)) {
    ten_buf names = {0};
    cli_inputs_print(&names, func);
    ten_status *status = ten_error(TEN_INVALID, "--input %s: unknown input '%.*s'; use one of: %s", text,
                                   (int)(equals - text), text, names.size ? names.data : "none");
    ten_buf_free(&names);
    return status;
  } else {
    *out_input = (*next)++;
  }
  return NULL;
}

ten_status *cli_inputs_read(const cli_list *files, bool filled, const ten_op *func, ten_tensor **inputs) {
  const ten_type *type = ten_func_type(func);
  if (files->count > type->input_count || (files->count < type->input_count && !filled))
    return ten_error(TEN_INVALID, "the program takes %u input%s; %zu %s given (--random fills in what is missing)",
                     type->input_count, type->input_count == 1 ? "" : "s", files->count,
                     files->count == 1 ? "was" : "were");
  uint32_t next = 0;
  for (size_t k = 0; k < files->count; k++) {
    uint32_t i;
    const char *path;
    TEN_TRY(which_input(func, files->data[k], &next, &i, &path));
    if (inputs[i]) return ten_error(TEN_INVALID, "--input %s: input %u is given twice", files->data[k], i);
    TEN_TRY(ten_annotate(cli_value_read(path, type->inputs[i], &inputs[i]), "reading input %u", i));
  }
  return NULL;
}

ten_status *cli_inputs_fill(uint64_t seed, const ten_op *func, bool indices, ten_tensor **inputs) {
  const ten_type *type = ten_func_type(func);
  for (uint32_t i = 0; i < type->input_count; i++) {
    if (inputs[i]) continue;
    ten_type own = *type->inputs[i];
    const ten_ints example = ten_attr_as_ints(ten_func_arg_attr(func, i, "aten.example"));
    if (ten_type_is_tensor(&own) && own.ranked && own.rank == example.count) own.dims = example.data;
    TEN_TRY(cli_value_random(seed, i, &own, indices || ten_func_arg_attr(func, i, "aten.name"), &inputs[i]));
  }
  return NULL;
}
