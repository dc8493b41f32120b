/* spread.c: data and model parallelism by annotating arguments; the plugin's partitioner does the rest. */
#include "pjrt/spread.h"

#include <stdlib.h>

#include "ir/builder.h"
#include "ir/verify/verify.h"

ten_status *ten_mesh_parse(const char *text, ten_mesh *out_mesh) {
  *out_mesh = (ten_mesh){1, 1};
  for (const char *at = text; at && *at;) {
    const size_t size = strcspn(at, "=,");
    const ten_str name = {at, size};
    uint32_t *axis = ten_str_is(name, "data") ? &out_mesh->data : ten_str_is(name, "model") ? &out_mesh->model : NULL;
    char *end = NULL;
    const unsigned long count = at[size] == '=' ? strtoul(at + size + 1, &end, 10) : 0;
    if (!axis || !end || !count || count > TEN_SPREAD_MOST || (*end && *end != ','))
      return ten_error(TEN_INVALID, "'%s' is not a mesh: data=N, model=N, or data=N,model=M", text);
    *axis = (uint32_t)count;
    at = *end ? end + 1 : end;
  }
  if ((uint64_t)out_mesh->data * out_mesh->model > TEN_SPREAD_MOST)
    return ten_error(TEN_INVALID, "'%s': a mesh has at most %d devices", text, TEN_SPREAD_MOST);
  return NULL;
}

/* The dimension of an argument that is split, or -1. */
static int split_dim(const pjrt_program *p, const ten_mesh *mesh, uint32_t argument) {
  enum { LEAST = 16384 }; /* elements: splitting a bias costs more than it saves */
  const ten_type *type = ten_func_type(p->func)->inputs[argument];
  if (!type->rank) return -1;
  if (!p->arguments[argument].weight)
    return mesh->data > 1 && type->dims[0] % mesh->data == 0 && type->dims[0] ? 0 : -1;
  if (mesh->model < 2 || ten_type_count(type) < LEAST) return -1;
  int best = -1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] % mesh->model == 0 && (best < 0 || type->dims[i] > type->dims[best])) best = (int)i;
  return best;
}

/* Devices are numbered along `model` first. */
pjrt_part pjrt_spread_part(const pjrt_program *p, const ten_mesh *mesh, uint32_t argument, uint32_t device) {
  const int dim = split_dim(p, mesh, argument);
  if (dim < 0) return (pjrt_part){1, 0, -1};
  const bool weight = p->arguments[argument].weight;
  return (pjrt_part){weight ? mesh->model : mesh->data, weight ? device % mesh->model : device / mesh->model, dim};
}

static const ten_attr *sharding(pjrt_program *p, const ten_mesh *mesh, uint32_t argument) {
  const ten_type *type = ten_func_type(p->func)->inputs[argument];
  const int split = split_dim(p, mesh, argument);
  ten_buf text = {0};
  ten_buf_adds(&text, "#sdy.sharding<@mesh, [");
  for (uint32_t i = 0; i < type->rank; i++)
    ten_buf_printf(&text, "%s{%s}", i ? ", " : "",
                   (int)i != split                 ? ""
                   : p->arguments[argument].weight ? "\"model\""
                                                   : "\"data\"");
  ten_buf_adds(&text, "]>");
  const ten_attr *attr =
      ten_attr_opaque(p->module, (ten_str){ten_arena_strdup(&p->module->arena, text.data, text.size), text.size});
  ten_buf_free(&text);
  return attr;
}

static const ten_attr *with(ten_module *module, const ten_attr *list, uint32_t index, const ten_attr *value) {
  const ten_attr *old =
      list && list->kind == TEN_ATTR_ARRAY && index < list->array.count ? list->array.items[index] : NULL;
  const size_t count = old && old->kind == TEN_ATTR_DICT ? old->dict.count : 0;
  ten_named_attr *items = ten_arena_new_array(&module->arena, ten_named_attr, count + 1);
  for (size_t i = 0; i < count; i++) items[i] = old->dict.items[i];
  if (value) items[count] = (ten_named_attr){.name = TEN_STR("sdy.sharding"), .value = value};
  return ten_attr_dict(module, count + (value != NULL), items);
}

static const ten_attr *whole(ten_module *module, uint32_t rank) {
  ten_buf text = {0};
  ten_buf_adds(&text, "#sdy.sharding<@mesh, [");
  for (uint32_t i = 0; i < rank; i++) ten_buf_adds(&text, i ? ", {}" : "{}");
  ten_buf_adds(&text, "]>");
  const ten_attr *attr =
      ten_attr_opaque(module, (ten_str){ten_arena_strdup(&module->arena, text.data, text.size), text.size});
  ten_buf_free(&text);
  return attr;
}

static void annotate(pjrt_program *p, const ten_mesh *mesh, bool whole_results) {
  ten_module *m = p->module;
  ten_buf text = {0};
  ten_buf_printf(&text, "#sdy.mesh<[\"data\"=%u, \"model\"=%u]>", mesh->data, mesh->model);
  const ten_named_attr attrs[] = {
      {.name = TEN_STR("mesh"),
       .value = ten_attr_opaque(m, (ten_str){ten_arena_strdup(&m->arena, text.data, text.size), text.size}),
       .inherent = true},
      {.name = TEN_STR("sym_name"), .value = ten_attr_string(m, TEN_STR("mesh")), .inherent = true}};
  ten_buf_free(&text);
  ten_op *op =
      ten_op_create(m, ten_opcode_find(TEN_STR("sdy.mesh")), TEN_STR("sdy.mesh"), NULL, 0, NULL, 0, NULL, 2, attrs, 0);
  ten_op_insert_before(ten_module_body(m)->first, op);
  const ten_type *type = ten_func_type(p->func);
  const ten_attr *args = ten_op_attr(p->func, "arg_attrs"), *results = ten_op_attr(p->func, "res_attrs");
  const ten_attr **in = ten_arena_new_array(&m->arena, const ten_attr *, type->input_count + 1),
                 **out = ten_arena_new_array(&m->arena, const ten_attr *, type->result_count + 1);
  for (uint32_t i = 0; i < type->result_count; i++)
    out[i] = with(m, results, i, whole_results ? whole(m, type->results[i]->rank) : NULL);
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_attr *how = sharding(p, mesh, i);
    const int64_t alias = ten_attr_as_int(ten_func_arg_attr(p->func, i, "tf.aliasing_output"), -1);
    in[i] = with(m, args, i, how);
    if (alias >= 0 && alias < (int64_t)type->result_count) out[alias] = with(m, results, (uint32_t)alias, how);
  }
  ten_op_set_attr(m, p->func, TEN_STR("arg_attrs"), ten_attr_array(m, type->input_count, in));
  ten_op_set_attr(m, p->func, TEN_STR("res_attrs"), ten_attr_array(m, type->result_count, out));
}

ten_status *pjrt_spread_program(pjrt_program *p, const ten_mesh *mesh, bool whole_results, int *devices,
                                pjrt_spread *out) {
  *out = (pjrt_spread){.replicas = 1, .partitions = mesh->data * mesh->model, .devices = devices};
  const ten_op *root = p->module->op;
  const int64_t partitions = ten_attr_as_int(ten_op_attr(root, "mhlo.num_partitions"), 1),
                replicas = ten_attr_as_int(ten_op_attr(root, "mhlo.num_replicas"), 1);
  for (const ten_op *op = ten_module_body(p->module)->first; op; op = op->next)
    out->shardy |= ten_str_is(op->name, "sdy.mesh");
  if (partitions > 1 || replicas > 1 || out->shardy) {
    if (out->partitions > 1)
      return ten_error(TEN_INVALID, "the program says itself how it is spread; --mesh is for programs that do not");
    if (partitions < 1 || replicas < 1 || partitions > TEN_SPREAD_MOST || replicas > TEN_SPREAD_MOST ||
        partitions * replicas > TEN_SPREAD_MOST)
      return ten_error(TEN_INVALID, "the program says it is for %lld replicas of %lld partitions", (long long)replicas,
                       (long long)partitions);
    out->partitions = (uint32_t)partitions;
    out->replicas = (uint32_t)replicas;
  } else if (out->partitions > 1) {
    annotate(p, mesh, whole_results);
    out->shardy = true;
  }
  for (uint32_t i = 0; i < out->partitions * out->replicas; i++) devices[i] = (int)i;
  if (out->partitions * out->replicas == 1) out->devices = NULL;
  return NULL;
}

static ten_status *narrow(ten_op *op, void *context) {
  ten_module *module = context;
  if (op->code != TEN_OP_DOT_GENERAL && op->code != TEN_OP_CONVOLUTION && op->code != TEN_OP_DOT) return NULL;
  if (op->results[0].type->dtype != TEN_F32) return NULL;
  ten_builder b = {.module = module, .block = op->block, .before = op, .loc = op->loc};
  for (uint32_t i = 0; i < 2; i++)
    if (ten_op_operand(op, i)->type->dtype == TEN_F32)
      ten_op_set_operand(op, i, ten_build_convert(&b, ten_op_operand(op, i), TEN_BF16));
  return NULL;
}

ten_status *pjrt_use_bf16(pjrt_program *p) {
  TEN_TRY(ten_op_walk(p->func, narrow, p->module));
  return ten_annotate(ten_verify(p->module), "computing products in bf16");
}

static ten_status *sharpen(ten_op *op, void *context) {
  enum { HIGHEST = 2 }; /* of DEFAULT, HIGH, HIGHEST */
  ten_module *module = context;
  if (op->code != TEN_OP_DOT_GENERAL && op->code != TEN_OP_CONVOLUTION && op->code != TEN_OP_DOT) return NULL;
  if (ten_op_attr(op, "algorithm")) return NULL; /* the program says itself how */
  const ten_attr *highest = ten_attr_enum(module, TEN_ENUM_PRECISION, HIGHEST), *const both[] = {highest, highest};
  ten_op_set_attr(module, op, TEN_STR("precision_config"), ten_attr_array(module, 2, both));
  return NULL;
}

ten_status *pjrt_use_highest(pjrt_program *p) {
  TEN_TRY(ten_op_walk(p->func, sharpen, p->module));
  return ten_annotate(ten_verify(p->module), "asking for the highest precision");
}
