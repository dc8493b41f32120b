/* helpers.c: the functions and classes that migrated programs use where torch has no single call for what torch_xla
 * did, or TorchTPU lacks what torch has. They are written into the program, after its imports: it then needs nothing
 * but torch. */
#include "migrate/rule.h"

typedef struct helper_info {
  const char *name, *text; /* '@' is the file's name of torch */
  ten_helper needs;        /* another one that it uses; HELPER_NONE */
} helper_info;

static const helper_info helpers[HELPER_COUNT] = {
    [HELPER_TO_DEVICE] = {"to_device",
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
                          HELPER_NONE},
    [HELPER_DEVICE_LOADER] = {"DeviceLoader",
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
                              HELPER_TO_DEVICE},
    [HELPER_REDUCE_GRADIENTS] = {"reduce_gradients",
                                 "def reduce_gradients(optimizer):\n"
                                 "    \"\"\"Gradients become their mean over all processes.\"\"\"\n"
                                 "    if not @.distributed.is_initialized():\n"
                                 "        return\n"
                                 "    for group in optimizer.param_groups:\n"
                                 "        for parameter in group[\"params\"]:\n"
                                 "            if parameter.grad is not None:\n"
                                 "                @.distributed.all_reduce(parameter.grad)\n"
                                 "                parameter.grad /= @.distributed.get_world_size()\n",
                                 HELPER_NONE},
    [HELPER_ALL_REDUCE] =
        {"all_reduce",
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
         HELPER_NONE},
    [HELPER_ALL_GATHER] = {"all_gather",
                           "def all_gather(value, dim=0):\n"
                           "    \"\"\"The tensors of all processes, one after the other along a dimension.\"\"\"\n"
                           "    if not @.distributed.is_initialized():\n"
                           "        return value\n"
                           "    parts = [@.empty_like(value) for _ in range(@.distributed.get_world_size())]\n"
                           "    @.distributed.all_gather(parts, value.contiguous())\n"
                           "    return @.cat(parts, dim)\n",
                           HELPER_NONE},
    [HELPER_MESH_REDUCE] = {"mesh_reduce",
                            "def mesh_reduce(data, reduce_fn):\n"
                            "    \"\"\"What `reduce_fn` makes of the values of all processes.\"\"\"\n"
                            "    values = [data]\n"
                            "    if @.distributed.is_initialized():\n"
                            "        values = [None] * @.distributed.get_world_size()\n"
                            "        @.distributed.all_gather_object(values, data)\n"
                            "    return reduce_fn(values)\n",
                            HELPER_NONE},
    [HELPER_RUNNING_STATISTICS] =
        {"RunningStatistics",
         "class RunningStatistics:\n"
         "    \"\"\"Batch norm that updates its running mean and variance in training: TorchTPU 0.2 leaves them as they are.\"\"\"\n"
         "\n"
         "    def forward(self, input):\n"
         "        if not (self.training and self.track_running_stats):\n"
         "            return super().forward(input)\n"
         "        self._check_input_dim(input)\n"
         "        output = @.nn.functional.batch_norm(input, None, None, self.weight, self.bias, True, 0.0, self.eps)\n"
         "        with @.no_grad():\n"
         "            axes = [axis for axis in range(input.dim()) if axis != 1]\n"
         "            var, mean = @.var_mean(input.to(self.running_mean.dtype), axes)\n"
         "            self.num_batches_tracked += 1\n"
         "            share = 1 / self.num_batches_tracked if self.momentum is None else self.momentum\n"
         "            self.running_mean.lerp_(mean, share)\n"
         "            self.running_var.lerp_(var, share)\n"
         "        return output\n",
         HELPER_NONE},
    [HELPER_BATCH_NORM_1D] = {"BatchNorm1d",
                              "class BatchNorm1d(RunningStatistics, @.nn.BatchNorm1d):\n"
                              "    \"\"\"torch.nn.BatchNorm1d, with running statistics.\"\"\"\n",
                              HELPER_RUNNING_STATISTICS},
    [HELPER_BATCH_NORM_2D] = {"BatchNorm2d",
                              "class BatchNorm2d(RunningStatistics, @.nn.BatchNorm2d):\n"
                              "    \"\"\"torch.nn.BatchNorm2d, with running statistics.\"\"\"\n",
                              HELPER_RUNNING_STATISTICS},
    [HELPER_BATCH_NORM_3D] = {"BatchNorm3d",
                              "class BatchNorm3d(RunningStatistics, @.nn.BatchNorm3d):\n"
                              "    \"\"\"torch.nn.BatchNorm3d, with running statistics.\"\"\"\n",
                              HELPER_RUNNING_STATISTICS},
    [HELPER_WITH_STATISTICS] = {"with_running_statistics",
                                "def with_running_statistics(model):\n"
                                "    \"\"\"A model of a library, its batch norms with running statistics.\"\"\"\n"
                                "    for module in model.modules():\n"
                                "        if type(module) is @.nn.BatchNorm2d:\n"
                                "            module.__class__ = BatchNorm2d\n"
                                "    return model\n",
                                HELPER_BATCH_NORM_2D},
    [HELPER_SMOOTH_L1_LOSS] = {"smooth_l1_loss",
                               "def smooth_l1_loss(input, target, reduction=\"mean\", beta=1.0):\n"
                               "    \"\"\"torch.nn.functional.smooth_l1_loss, which TorchTPU 0.2 does not have.\"\"\"\n"
                               "    if beta == 0:\n"
                               "        return @.nn.functional.l1_loss(input, target, reduction=reduction)\n"
                               "    error = (input - target).abs()\n"
                               "    loss = @.where(error < beta, 0.5 * error**2 / beta, error - 0.5 * beta)\n"
                               "    return loss if reduction == \"none\" else getattr(loss, reduction)()\n",
                               HELPER_NONE},
    [HELPER_SMOOTH_L1] = {"SmoothL1Loss",
                          "class SmoothL1Loss(@.nn.SmoothL1Loss):\n"
                          "    \"\"\"torch.nn.SmoothL1Loss of the function above.\"\"\"\n"
                          "\n"
                          "    def forward(self, input, target):\n"
                          "        return smooth_l1_loss(input, target, self.reduction, self.beta)\n",
                          HELPER_SMOOTH_L1_LOSS},
    [HELPER_HUBER_LOSS] = {"huber_loss",
                           "def huber_loss(input, target, reduction=\"mean\", delta=1.0):\n"
                           "    \"\"\"torch.nn.functional.huber_loss, which TorchTPU 0.2 does not have.\"\"\"\n"
                           "    error = (input - target).abs()\n"
                           "    loss = @.where(error < delta, 0.5 * error**2, delta * (error - 0.5 * delta))\n"
                           "    return loss if reduction == \"none\" else getattr(loss, reduction)()\n",
                           HELPER_NONE},
    [HELPER_HUBER] = {"HuberLoss",
                      "class HuberLoss(@.nn.HuberLoss):\n"
                      "    \"\"\"torch.nn.HuberLoss of the function above.\"\"\"\n"
                      "\n"
                      "    def forward(self, input, target):\n"
                      "        return huber_loss(input, target, self.reduction, self.delta)\n",
                      HELPER_HUBER_LOSS},
};

const char *ten_helper_name(ten_helper helper) { return helpers[helper].name; }

bool ten_is_helper(ten_str name) {
  for (int h = HELPER_NONE + 1; h < HELPER_COUNT; h++)
    if (ten_str_is(name, helpers[h].name)) return true;
  return false;
}

void ten_helper_use(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_helper helper) {
  ten_use(rw, MOD_TORCH);
  for (; helper != HELPER_NONE; helper = helpers[helper].needs)
    if (!rw->helpers[helper]) rw->helpers[helper] = rule;
}

/* Two blank lines part a definition from what follows: adds those that are not there. */
static void part(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *last) {
  const ten_str source = rw->file->tree.text;
  const ten_py_node *next = last->next;
  while (next && next->claimed) next = next->next;
  int breaks = 0;
  for (uint32_t at = next ? next->start : 0; at > last->end && strchr(" \t\r\n", source.data[at - 1]); at--)
    breaks += source.data[at - 1] == '\n';
  for (; next && breaks < 3; breaks++) ten_insert_after(rw, rule, last, "%s", "");
}

void ten_place_helpers(ten_rewrite *rw, ten_py_node *last) {
  const char *torch = ten_use(rw, MOD_TORCH);
  const ten_rewrite_rule *rule = NULL;
  for (int h = HELPER_NONE + 1; h < HELPER_COUNT; h++) {
    if (!rw->helpers[h]) continue;
    rule = rw->helpers[h];
    for (int blank = 0; blank < 2; blank++) ten_insert_after(rw, rule, last, "%s", "");
    for (const char *line = helpers[h].text; *line;) {
      const char *end = strchr(line, '\n');
      ten_buf text = {0};
      for (const char *c = line; c < end; c++)
        if (*c == '@')
          ten_buf_adds(&text, torch);
        else
          ten_buf_addc(&text, *c);
      ten_insert_after(rw, rule, last, "%s", text.size ? text.data : "");
      ten_buf_free(&text);
      line = end + 1;
    }
  }
  if (rule) part(rw, rule, last);
}
