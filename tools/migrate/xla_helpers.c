/* xla_helpers.c: the functions that migrated PyTorch/XLA programs call, for what torch and TorchTPU have no single call
 * for. They are written into the program, after its imports: it then needs nothing but torch. */
#include "migrate/rule_xla.h"

/* '@' is the file's name of torch. */
static const char *const texts[HELPER_COUNT] = {
    [HELPER_TO_DEVICE] =
        "def to_device(data, device):\n"
        "    \"\"\"A copy of a batch or checkpoint, its tensors on the device.\"\"\"\n"
        "    if hasattr(data, \"to\") and not isinstance(data, @.nn.Module):\n"
        "        return data.to(device)\n"
        "    if isinstance(data, dict):\n"
        "        return type(data)((key, to_device(value, device)) for key, value in data.items())\n"
        "    if isinstance(data, tuple) and hasattr(data, \"_fields\"):\n"
        "        return type(data)(*(to_device(value, device) for value in data))\n"
        "    if isinstance(data, (list, tuple)):\n"
        "        return type(data)(to_device(value, device) for value in data)\n"
        "    return data\n",
    [HELPER_DEVICE_LOADER] =
        "class DeviceLoader:\n"
        "    \"\"\"Batches of a loader, on the device.\"\"\"\n"
        "\n"
        "    def __init__(self, loader, device):\n"
        "        self.loader, self.device = loader, device\n"
        "\n"
        "    def __len__(self):\n"
        "        return len(self.loader)\n"
        "\n"
        "    def __iter__(self):\n"
        "        return (to_device(batch, self.device) for batch in self.loader)\n",
    [HELPER_REDUCE_GRADIENTS] =
        "def reduce_gradients(optimizer):\n"
        "    \"\"\"Gradients become their mean over all processes.\"\"\"\n"
        "    if not @.distributed.is_initialized():\n"
        "        return\n"
        "    for group in optimizer.param_groups:\n"
        "        for parameter in group[\"params\"]:\n"
        "            if parameter.grad is not None:\n"
        "                @.distributed.all_reduce(parameter.grad)\n"
        "                parameter.grad /= @.distributed.get_world_size()\n",
    [HELPER_ALL_REDUCE] =
        "def all_reduce(reduce_type, inputs, scale=1.0):\n"
        "    \"\"\"A tensor, reduced over all processes; a list of tensors is reduced in place.\"\"\"\n"
        "    names = {\"mul\": \"PRODUCT\", \"and\": \"BAND\", \"or\": \"BOR\"}\n"
        "    if isinstance(reduce_type, str):\n"
        "        reduce_type = getattr(@.distributed.ReduceOp, names.get(reduce_type, reduce_type.upper()))\n"
        "    tensors = inputs if isinstance(inputs, list) else [inputs.clone()]\n"
        "    for tensor in tensors:\n"
        "        if @.distributed.is_initialized():\n"
        "            @.distributed.all_reduce(tensor, op=reduce_type)\n"
        "        if scale != 1.0:\n"
        "            tensor.mul_(scale)\n"
        "    return inputs if isinstance(inputs, list) else tensors[0]\n",
    [HELPER_ALL_GATHER] =
        "def all_gather(value, dim=0):\n"
        "    \"\"\"The tensors of all processes, one after the other along a dimension.\"\"\"\n"
        "    if not @.distributed.is_initialized():\n"
        "        return value\n"
        "    parts = [@.empty_like(value) for _ in range(@.distributed.get_world_size())]\n"
        "    @.distributed.all_gather(parts, value.contiguous())\n"
        "    return @.cat(parts, dim)\n",
    [HELPER_MESH_REDUCE] =
        "def mesh_reduce(data, reduce_fn):\n"
        "    \"\"\"What `reduce_fn` makes of the values of all processes.\"\"\"\n"
        "    values = [data]\n"
        "    if @.distributed.is_initialized():\n"
        "        values = [None] * @.distributed.get_world_size()\n"
        "        @.distributed.all_gather_object(values, data)\n"
        "    return reduce_fn(values)\n",
};

void ten_xla_helper(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_helper helper) {
  static const char *const names[HELPER_COUNT] = {"to_device",  "DeviceLoader", "reduce_gradients",
                                                  "all_reduce", "all_gather",   "mesh_reduce"};
  if (!rw->helpers[helper] && ten_scope_binds(rw->file, ten_str_of(names[helper])))
    ten_note_add(rw, rule, TEN_NOTE_HUMAN, (ten_py_node *)rw->at,
                 "the file has a %s of its own, and a function of this name is defined after the imports: rename one",
                 names[helper]);
  if (!rw->helpers[helper]) rw->helpers[helper] = rule;
  if (helper == HELPER_DEVICE_LOADER) ten_xla_helper(rw, rule, HELPER_TO_DEVICE);
  ten_use(rw, MOD_TORCH);
  ten_use(rw, MOD_TPU);
}

void ten_place_helpers(ten_rewrite *rw, ten_py_node *last) {
  const char *torch = ten_use(rw, MOD_TORCH);
  for (int h = 0; h < HELPER_COUNT; h++) {
    if (!rw->helpers[h]) continue;
    ten_insert_after(rw, rw->helpers[h], last, "%s", "");
    ten_insert_after(rw, rw->helpers[h], last, "%s", "");
    for (const char *line = texts[h]; *line;) {
      const char *end = strchr(line, '\n');
      ten_buf text = {0};
      for (const char *c = line; c < end; c++)
        if (*c == '@')
          ten_buf_adds(&text, torch);
        else
          ten_buf_addc(&text, *c);
      ten_insert_after(rw, rw->helpers[h], last, "%s", text.size ? text.data : "");
      ten_buf_free(&text);
      line = end + 1;
    }
  }
}
