/* values.c: evaluates an expression to the set of kinds it may have. Recursion goes through names; a name under
 * evaluation counts as unknown, so cycles end. Results of names are memoized: they do not change while rules run, as
 * rules edit text, not trees. */
#include "migrate/values.h"

#include <ctype.h>
#include <stdlib.h>

static ten_str file_text(const ten_py_file *file, const ten_py_node *node) { return ten_py_text(&file->tree, node); }

const char *ten_cuda_tensor_dtype(const char *dotted) {
  static const struct {
    const char *type, *dtype;
  } types[] = {
      {"FloatTensor", "float32"},     {"DoubleTensor", "float64"}, {"HalfTensor", "float16"},
      {"BFloat16Tensor", "bfloat16"}, {"LongTensor", "int64"},     {"IntTensor", "int32"},
      {"ShortTensor", "int16"},       {"CharTensor", "int8"},      {"ByteTensor", "uint8"},
      {"BoolTensor", "bool"},
  };
  if (strncmp(dotted, "torch.cuda.", 11)) return NULL;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(dotted + 11, types[i].type)) return types[i].dtype;
  return NULL;
}

bool ten_is_device_text(ten_str text) {
  if (!ten_str_starts(text, "cuda")) return false;
  if (text.size == 4) return true;
  if (text.data[4] != ':' || text.size == 5) return false;
  for (size_t i = 5; i < text.size; i++)
    if (!isdigit((unsigned char)text.data[i])) return false;
  return true;
}

bool ten_is_device_string(const ten_py_file *file, const ten_py_node *node) {
  if (!node) return false;
  ten_str text;
  switch (node->kind) {
    case PY_STRING:
      if (ten_py_literal(&file->tree, node, &text)) return ten_is_device_text(text);
      for (const ten_py_node *part = node->child; part; part = part->next)
        if (part->kind == PY_STRING_CONTENT)
          return ten_str_is(file_text(file, part), "cuda:") && part->next && part->next->kind == PY_INTERPOLATION;
      return false;
    case PY_BINARY_OP: { /* "cuda:%d" % i, "cuda:" + str(i) */
      const ten_py_node *left = ten_py_field_of(node, PY_F_LEFT);
      return ten_py_literal(&file->tree, left, &text) && (ten_str_starts(text, "cuda:%") || ten_str_is(text, "cuda:"));
    }
    case PY_CALL: { /* "cuda:{}".format(i) */
      const ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
      if (!callee || callee->kind != PY_ATTRIBUTE ||
          !ten_str_is(file_text(file, ten_py_field_of(callee, PY_F_ATTRIBUTE)), "format"))
        return false;
      return ten_py_literal(&file->tree, ten_py_field_of(callee, PY_F_OBJECT), &text) && ten_str_starts(text, "cuda:{");
    }
    default: return false;
  }
}

typedef struct call_kind {
  const char *dotted; /* exact, or a prefix when it ends in '*' */
  uint32_t kind;
} call_kind;

/* First match wins. */
static const call_kind call_kinds[] = {
    {"torch.cuda.is_available", V_AVAILABLE},
    {"torch.accelerator.is_available", V_AVAILABLE},
    {"torch.tpu.is_available", V_AVAILABLE},
    {"torch.cuda.device_count", V_COUNT_OF_DEVICES | V_NUMBER},
    {"torch_xla.device_count", V_COUNT_OF_DEVICES | V_NUMBER},
    {"torch.accelerator.device_count", V_COUNT_OF_DEVICES | V_NUMBER},
    {"torch.cuda.current_device", V_RANK},
    {"torch.accelerator.current_device_index", V_RANK},
    {"torch.accelerator.current_accelerator", V_DEVICE},
    {"torch_xla.device", V_DEVICE},
    {"torch_xla.core.xla_model.xla_device", V_DEVICE},
    {"torch.distributed.get_rank", V_RANK},
    {"torch.distributed.get_local_rank", V_RANK},
    {"torch_xla.runtime.global_ordinal", V_NUMBER},
    {"torch_xla.runtime.local_ordinal", V_NUMBER},
    {"torch.cuda.Event", V_EVENT},
    {"torch.cuda.Stream", V_EVENT},
    {"torch.cuda.current_stream", V_EVENT},
    {"torch.cuda.amp.GradScaler", V_SCALER},
    {"torch.cuda.amp.grad_scaler.GradScaler", V_SCALER},
    {"torch.amp.GradScaler", V_SCALER},
    {"torch.GradScaler", V_SCALER},
    {"torch.utils.data.DataLoader", V_LOADER},
    {"torch.utils.data.dataloader.DataLoader", V_LOADER},
    {"torch_geometric.loader.DataLoader", V_LOADER},
    {"torch_geometric.data.DataLoader", V_LOADER},
    {"torch_xla.distributed.parallel_loader.MpDeviceLoader", V_LOADER},
    {"torch_xla.amp.GradScaler", V_SCALER},
    {"torch_xla.amp.syncfree.*", V_OPTIMIZER},
    {"torch.optim.lr_scheduler.*", V_SCHEDULER},
    {"torch.optim.*", V_OPTIMIZER},
    {"torch.nn.functional.*", V_TENSOR},
    {"torch.nn.init.*", V_TENSOR},
    {"torch.nn.utils.rnn.*", V_TENSOR},
    {"torch.nn.Parameter", V_TENSOR},
    {"torch.nn.parameter.Parameter", V_TENSOR},
    {"torch.nn.utils.*", 0},
    {"torch.nn.*", V_MODULE},
    {"torchvision.models.*", V_MODULE},
    {"timm.create_model", V_MODULE},
    {"torch.hub.load", V_MODULE},
    {"torchvision.transforms.*", 0},
    {"torchvision.utils.make_grid", V_TENSOR},
    {"torch.autograd.Variable", V_TENSOR},
    {"torch.autograd.grad", V_TENSOR},
    {"torch.fft.*", V_TENSOR},
    {"torch.linalg.*", V_TENSOR},
    {"torch.special.*", V_TENSOR},
    {"torch.load", V_STATE},
    {"torch.device", V_DEVICE},
    {"numpy.*", V_HOST},
    {"torch.cuda.*", 0},
    {"torch.distributed.*", 0},
    {"torch.utils.*", 0},
    {"torch.backends.*", 0},
    {"torch.jit.*", V_MODULE},
    {"torch.compile", V_MODULE},
    {"torch.profiler.*", 0},
    {"torch.no_grad", 0},
    {"torch.enable_grad", 0},
    {"torch.set_grad_enabled", 0},
    {"torch.manual_seed", 0},
    {"torch.Generator", 0},
    {"torch.save", 0},
    {"torch.autocast", 0},
    {"torch.amp.*", 0},
    {"torch.is_tensor", 0},
    {"torch.numel", V_NUMBER},
    {"torch.get_default_dtype", 0},
    {"torch.Size", 0},
    {"torch.inference_mode", 0},
    {"torch.finfo", 0},
    {"torch.iinfo", 0},
    {"torch.get_rng_state", V_TENSOR},
    {"torch.*", V_TENSOR},
};

static bool dotted_matches(const char *name, const char *pattern) {
  const size_t size = strlen(pattern);
  if (size && pattern[size - 1] == '*') return !strncmp(name, pattern, size - 1);
  return !strcmp(name, pattern);
}

static uint32_t dotted_kind(const char *name, bool *out_known) {
  *out_known = false;
  for (size_t i = 0; i < sizeof call_kinds / sizeof *call_kinds; i++)
    if (dotted_matches(name, call_kinds[i].dotted)) return *out_known = true, call_kinds[i].kind;
  return 0;
}

bool ten_is_module_class(ten_py_file *file, ten_py_node *definition, int depth) {
  ten_py_node *bases = definition ? ten_py_field_of(definition, PY_F_SUPERCLASSES) : NULL;
  for (ten_py_node *base = bases ? bases->child : NULL; base && depth < 8; base = base->next) {
    char dotted[TEN_DOTTED_MAX];
    if (ten_dotted(file, base, dotted)) {
      if (!strncmp(dotted, "torch.nn.", 9) || !strcmp(dotted, "pytorch_lightning.LightningModule") ||
          !strncmp(dotted, "torchvision.models.", 19))
        return true;
    }
    ten_py_file *base_file = file;
    ten_py_node *parent = ten_definition_of(file, base, &base_file);
    if (parent && parent != definition && parent->kind == PY_CLASS && ten_is_module_class(base_file, parent, depth + 1))
      return true;
  }
  return false;
}

/* The likely kind of a parameter or an unbound attribute, by common naming. Only used when nothing better is
 * known. */
static uint32_t guess_by_name(ten_str name) {
  static const struct {
    const char *text;
    uint32_t kind;
  } exact[] = {
      {"device", V_DEVICE},        {"dev", V_DEVICE},
      {"model", V_MODULE},         {"net", V_MODULE},
      {"network", V_MODULE},       {"netG", V_MODULE},
      {"netD", V_MODULE},          {"encoder", V_MODULE},
      {"decoder", V_MODULE},       {"generator", V_MODULE},
      {"discriminator", V_MODULE}, {"optimizer", V_OPTIMIZER},
      {"optim", V_OPTIMIZER},      {"opt", 0},
      {"scheduler", V_SCHEDULER},  {"lr_scheduler", V_SCHEDULER},
      {"loader", V_LOADER},        {"dataloader", V_LOADER},
      {"data_loader", V_LOADER},   {"scaler", V_SCALER},
      {"grad_scaler", V_SCALER},   {"rank", V_RANK},
      {"local_rank", V_RANK},      {"gpu", V_RANK},
      {"gpu_id", V_RANK},          {"device_id", V_RANK},
      {"criterion", V_MODULE},
  };
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (ten_str_is(name, exact[i].text)) return exact[i].kind;
  if (ten_str_ends(name, "_loader") || ten_str_ends(name, "loader") || ten_str_ends(name, "Loader") ||
      ten_str_ends(name, "_dl"))
    return V_LOADER;
  if (ten_str_starts(name, "optimizer") || ten_str_ends(name, "_optimizer")) return V_OPTIMIZER;
  if (ten_str_ends(name, "_device") || ten_str_starts(name, "device_")) return 0;
  return 0;
}

static uint32_t annotation_kind(ten_py_file *file, ten_py_node *type) {
  char dotted[TEN_DOTTED_MAX];
  ten_py_node *expression = type ? ten_py_named(type, 0) : NULL;
  if (!expression || !ten_dotted(file, expression, dotted)) {
    ten_str text;
    if (expression && ten_py_literal(&file->tree, expression, &text) && ten_str_is(text, "torch.device"))
      return V_DEVICE;
    return 0;
  }
  if (!strcmp(dotted, "torch.device")) return V_DEVICE;
  if (!strcmp(dotted, "torch.Tensor")) return V_TENSOR;
  if (!strcmp(dotted, "torch.nn.Module")) return V_MODULE;
  if (!strcmp(dotted, "torch.utils.data.DataLoader")) return V_LOADER;
  if (!strncmp(dotted, "torch.optim.lr_scheduler", 24)) return V_SCHEDULER;
  if (!strncmp(dotted, "torch.optim.", 12)) return V_OPTIMIZER;
  ten_py_file *other = file;
  ten_py_node *definition = ten_definition_of(file, expression, &other);
  return definition && definition->kind == PY_CLASS && ten_is_module_class(other, definition, 0) ? V_MODULE : 0;
}

/* The kind of an element when iterating: a loader yields batches; enumerate, tqdm and zip pass through. */
static uint32_t element_kind(ten_py_file *file, ten_py_node *iterable, int index) {
  iterable = ten_py_unparen(iterable);
  if (!iterable) return 0;
  if (iterable->kind == PY_CALL) {
    ten_py_node *callee = ten_py_field_of(iterable, PY_F_FUNCTION), *first = ten_call_argument(file, iterable, 0, NULL);
    const ten_str name =
        file_text(file, callee && callee->kind == PY_ATTRIBUTE ? ten_py_field_of(callee, PY_F_ATTRIBUTE) : callee);
    if (ten_str_is(name, "enumerate")) return index == 0 ? V_NUMBER : element_kind(file, first, -1);
    if (ten_str_is(name, "range")) return V_NUMBER;
    if (ten_str_is(name, "tqdm") || ten_str_is(name, "trange") || ten_str_is(name, "iter") ||
        ten_str_is(name, "progress_bar") || ten_str_is(name, "zip") || ten_str_is(name, "cycle") ||
        ten_str_is(name, "islice"))
      return element_kind(file, first, -1);
  }
  const uint32_t kind = ten_py_value_of(file, iterable);
  if (kind & V_LOADER) return V_TENSOR;
  if (kind & V_TENSOR) return V_TENSOR;
  if (iterable->kind == PY_LIST || iterable->kind == PY_TUPLE) {
    uint32_t all = 0;
    for (ten_py_node *item = iterable->child; item; item = item->next)
      if (item->named) all |= ten_py_value_of(file, item);
    return all;
  }
  return 0;
}

static uint32_t binding_kind(ten_py_file *file, const ten_py_binding *b) {
  ten_py_file *value_file = b->file;
  switch (b->how) {
    case BIND_ASSIGN:
    case BIND_ARGUMENT: return ten_py_value_of(value_file, b->value);
    case BIND_WITH: return ten_py_value_of(value_file, b->value);
    case BIND_FOR: return element_kind(value_file, b->value, b->index);
    case BIND_UNPACK: {
      const uint32_t kind = ten_py_value_of(value_file, b->value);
      return kind & (V_TENSOR | V_LOADER) ? V_TENSOR : kind & V_MODULE;
    }
    case BIND_AUG: return ten_py_value_of(value_file, b->value) & V_TENSOR;
    case BIND_CLASS: return ten_is_module_class(value_file, b->value, 0) ? V_MODULE_CLASS : 0;
    case BIND_FROM:
    case BIND_IMPORT: {
      ten_py_file *other = NULL;
      ten_py_name *target = ten_import_target(file, b->dotted, &other);
      return target && other != file ? ten_py_value_of_name(other, target) : 0;
    }
    case BIND_PARAM: {
      const uint32_t kind = annotation_kind(value_file, ten_py_field_of(b->site, PY_F_TYPE));
      return b->value ? kind | ten_py_value_of(value_file, b->value) : kind;
    }
    default: return 0;
  }
}

uint32_t ten_py_value_of_name(ten_py_file *file, ten_py_name *name) {
  if (name->computed) return name->known;
  if (name->visiting) return 0;
  name->visiting = true;
  uint32_t kind = 0;
  for (const ten_py_binding *b = name->first; b; b = b->next) kind |= binding_kind(file, b);
  for (const ten_py_binding *b = name->first; b && !kind; b = b->next) /* no call and no default determines it */
    if (b->how == BIND_PARAM) kind = guess_by_name(name->text);
  /* "available" must hold for every binding: cuda = False elsewhere breaks it. So must device counts. */
  const uint32_t promises = V_AVAILABLE | V_COUNT_OF_DEVICES;
  for (const ten_py_binding *b = name->first; b && (kind & promises); b = b->next)
    kind &= binding_kind(file, b) | ~promises;
  name->visiting = false;
  name->computed = true;
  name->known = kind;
  return kind;
}

static uint32_t function_result(ten_py_file *file, ten_py_node *function) {
  ten_py_name *name = NULL; /* guard against recursion through the function's own entry */
  ten_py_node *title = ten_py_field_of(function, PY_F_NAME);
  if (title) name = ten_name_lookup(file, function->parent, file_text(file, title));
  if (name && name->visiting) return 0;
  if (name) name->visiting = true;
  uint32_t kind = 0;
  for (ten_py_node *node = function; node;
       node = ten_py_walk(node, function, (node->kind == PY_FUNCTION || node->kind == PY_CLASS) && node != function))
    if (node->kind == PY_RETURN && ten_py_named(node, 0)) kind |= ten_py_value_of(file, ten_py_named(node, 0));
  if (name) name->visiting = false;
  return kind;
}

static uint32_t method_result(ten_py_file *file, ten_py_node *callee) {
  static const char *const keeps[] = {"to",         "cuda",   "cpu",      "train", "eval",           "half",
                                      "float",      "double", "bfloat16", "apply", "requires_grad_", "type",
                                      "contiguous", "detach", "clone",    NULL};
  static const char *const numbers[] = {"item", "dim", "size", "numel", "tolist", "nelement", "ndimension", NULL};
  const ten_str method = file_text(file, ten_py_field_of(callee, PY_F_ATTRIBUTE));
  const uint32_t object = ten_py_value_of(file, ten_py_field_of(callee, PY_F_OBJECT));
  if (ten_str_is(method, "type")) { /* x.type(torch.FloatTensor): whatever x is, the result is a tensor */
    char dotted[TEN_DOTTED_MAX];
    ten_py_node *type = ten_call_argument(file, callee->parent, 0, "dtype");
    if (type && ten_dotted(file, type, dotted) && !strncmp(dotted, "torch.", 6)) return V_TENSOR;
  }
  if (ten_str_is(method, "state_dict")) return V_STATE;
  if (ten_str_is(method, "numpy")) return V_HOST;
  for (int i = 0; numbers[i]; i++)
    if (ten_str_is(method, numbers[i])) return V_NUMBER;
  for (int i = 0; keeps[i]; i++)
    if (ten_str_is(method, keeps[i])) return object & (V_MODULE | V_TENSOR | V_STATE);
  if (object & V_TENSOR) return V_TENSOR;
  if (object & V_HOST) return V_HOST;
  ten_py_name *own = ten_self_attribute(file, callee);
  if (own && own->first && own->first->how == BIND_DEF) return function_result(own->first->file, own->first->value);
  if (own && ten_py_value_of_name(file, own) & V_MODULE) return V_TENSOR; /* self.layer(x) */
  if (object & V_MODULE) return V_TENSOR;                                 /* model.encode(x) */
  return 0;
}

static uint32_t call_value(ten_py_file *file, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  char dotted[TEN_DOTTED_MAX];
  bool known = false;
  if (ten_dotted(file, callee, dotted)) {
    if (!strcmp(dotted, "torch.device")) {
      ten_py_node *type = ten_call_argument(file, call, 0, "type");
      if (!type) type = ten_call_argument(file, call, 0, "device");
      const uint32_t kind = type ? ten_py_value_of(file, type) & (V_DEVICE | V_CPU) : 0;
      return kind ? kind : V_DEVICE;
    }
    const uint32_t kind = dotted_kind(dotted, &known);
    if (known) {
      if (kind & V_OPTIMIZER) { /* only classes are optimizers */
        const char *last = strrchr(dotted, '.');
        return last && isupper((unsigned char)last[1]) ? kind : 0;
      }
      return kind;
    }
  }
  if (!callee) return 0;
  ten_py_file *other = file;
  ten_py_node *definition = ten_definition_of(file, callee, &other);
  if (definition && definition->kind == PY_CLASS) return ten_is_module_class(other, definition, 0) ? V_MODULE : 0;
  if (definition && definition->kind == PY_FUNCTION) return function_result(other, definition);
  if (callee->kind == PY_ATTRIBUTE) return method_result(file, callee);
  if (callee->kind == PY_IDENTIFIER) {
    const ten_str name = file_text(file, callee);
    if (ten_str_is(name, "len") || ten_str_is(name, "int") || ten_str_is(name, "float") || ten_str_is(name, "round")) {
      ten_py_node *argument = ten_call_argument(file, call, 0, NULL);
      if (ten_str_is(name, "int") && argument && argument->kind != PY_STRING) {
        const ten_str text = file_text(file, argument);
        if (memmem(text.data, text.size, "LOCAL_RANK", 10)) return V_RANK | V_NUMBER;
      }
      return V_NUMBER;
    }
    const uint32_t kind = ten_py_value_of(file, callee);
    if (kind & V_MODULE) return V_TENSOR;
    if (kind & V_TENSOR_TYPE) return V_TENSOR;
    if (kind & V_MODULE_CLASS) return V_MODULE;
  }
  if (callee->kind == PY_CALL && call_value(file, callee) & V_MODULE) return V_TENSOR; /* nn.Linear(3, 4)(x) */
  return 0;
}

static uint32_t attribute_value(ten_py_file *file, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (ten_dotted(file, node, dotted)) {
    if (ten_cuda_tensor_dtype(dotted)) return V_TENSOR_TYPE;
    ten_py_file *other = NULL;
    ten_py_name *target = ten_import_target(file, ten_str_of(dotted), &other);
    if (target) return ten_py_value_of_name(other, target);
  }
  const ten_str attribute = file_text(file, ten_py_field_of(node, PY_F_ATTRIBUTE));
  ten_py_name *own = ten_self_attribute(file, node);
  if (own) {
    const uint32_t kind = ten_py_value_of_name(file, own);
    return kind ? kind : guess_by_name(attribute);
  }
  if (ten_str_is(attribute, "device")) return V_DEVICE;
  if (ten_str_is(attribute, "shape") || ten_str_is(attribute, "ndim")) return V_NUMBER;
  ten_py_name *shared = ten_py_names_find(&file->project->attributes, attribute);
  uint32_t kind = shared ? ten_py_value_of_name(file, shared) : 0;
  if (!kind) {
    const uint32_t object = ten_py_value_of(file, ten_py_field_of(node, PY_F_OBJECT));
    if (object & V_TENSOR) return V_TENSOR; /* .data, .grad, .T */
    if (object & V_MODULE && ten_str_is(attribute, "module")) return V_MODULE;
    kind = guess_by_name(attribute);
  }
  return kind;
}

static uint32_t expression_value(ten_py_file *file, ten_py_node *node) {
  switch (node->kind) {
    case PY_IDENTIFIER: {
      ten_py_name *name = ten_name_lookup(file, node, file_text(file, node));
      if (!name) return 0;
      char dotted[TEN_DOTTED_MAX];
      if (ten_dotted(file, node, dotted) && ten_cuda_tensor_dtype(dotted)) return V_TENSOR_TYPE;
      return ten_py_value_of_name(file, name);
    }
    case PY_STRING: {
      ten_str text;
      if (ten_py_literal(&file->tree, node, &text)) {
        if (ten_is_device_text(text)) return V_DEVICE | V_TEXT;
        if (ten_str_is(text, "cpu")) return V_CPU | V_TEXT;
      }
      return ten_is_device_string(file, node) ? V_DEVICE | V_TEXT : V_TEXT;
    }
    case PY_CALL: return ten_is_device_string(file, node) ? V_DEVICE | V_TEXT : call_value(file, node);
    case PY_ATTRIBUTE: return attribute_value(file, node);
    case PY_CONDITIONAL:
      return ten_py_value_of(file, ten_py_named(node, 0)) | ten_py_value_of(file, ten_py_named(node, 2));
    case PY_BOOL_OP: {
      const uint32_t left = ten_py_value_of(file, ten_py_field_of(node, PY_F_LEFT)),
                     right = ten_py_value_of(file, ten_py_field_of(node, PY_F_RIGHT));
      return (left & right & V_AVAILABLE) | ((left | right) & ~(uint32_t)V_AVAILABLE);
    }
    case PY_COMPARE: { /* torch.cuda.device_count() > 0 */
      ten_py_node *left = ten_py_named(node, 0), *right = ten_py_named(node, 1);
      if (ten_py_value_of(file, left) & V_COUNT_OF_DEVICES && ten_str_is(file_text(file, right), "0"))
        return V_AVAILABLE;
      return 0;
    }
    case PY_BINARY_OP: {
      if (ten_is_device_string(file, node)) return V_DEVICE | V_TEXT;
      const uint32_t left = ten_py_value_of(file, ten_py_field_of(node, PY_F_LEFT)),
                     right = ten_py_value_of(file, ten_py_field_of(node, PY_F_RIGHT));
      if ((left | right) & V_TENSOR) return V_TENSOR;
      return (left & right & V_NUMBER) | ((left | right) & V_TEXT); /* images / 255 may be a tensor */
    }
    case PY_UNARY_OP: return ten_py_value_of(file, ten_py_field_of(node, PY_F_ARGUMENT)) & (V_TENSOR | V_NUMBER);
    case PY_NAMED_EXPR: return ten_py_value_of(file, ten_py_field_of(node, PY_F_VALUE));
    case PY_SUBSCRIPT:
      return ten_py_value_of(file, ten_py_field_of(node, PY_F_VALUE)) & (V_TENSOR | V_STATE | V_LOADER | V_MODULE);
    case PY_AWAIT: return ten_py_value_of(file, ten_py_named(node, 0));
    case PY_INTEGER:
    case PY_FLOAT: return V_NUMBER;
    case PY_DICT: {
      for (ten_py_node *pair = node->child; pair; pair = pair->next)
        if (pair->kind == PY_PAIR && ten_py_value_of(file, ten_py_field_of(pair, PY_F_VALUE)) & V_STATE) return V_STATE;
      return 0;
    }
    default: return 0;
  }
}

uint32_t ten_py_value_of(ten_py_file *file, ten_py_node *node) {
  enum { DEPTH_MAX = 160 };
  node = ten_py_unparen(node);
  if (!node || file->project->depth > DEPTH_MAX) return 0;
  file->project->depth++;
  const uint32_t kind = expression_value(file, node);
  file->project->depth--;
  return kind;
}
