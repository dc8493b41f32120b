/* spread.c: data and model parallelism by annotating arguments; the plugin's partitioner does the rest. */
#include "backend/pjrt/spread.h"

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
      return ten_error(TEN_INVALID, "'%s' is not a mesh; use data=N, model=N, or data=N,model=M", text);
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

static const ten_attr *with(ten_module *module, const ten_attr *list, uint32_t index, const char *name,
                            const ten_attr *value) {
  const ten_attr *old =
      list && list->kind == TEN_ATTR_ARRAY && index < list->array.count ? list->array.items[index] : NULL;
  const size_t count = old && old->kind == TEN_ATTR_DICT ? old->dict.count : 0;
  ten_named_attr *items = ten_arena_new_array(&module->arena, ten_named_attr, count + 1);
  for (size_t i = 0; i < count; i++) items[i] = old->dict.items[i];
  if (value) items[count] = (ten_named_attr){.name = ten_str_of(name), .value = value};
  return ten_attr_dict(module, count + (value != NULL), items);
}

static const ten_attr *whole(ten_module *module, ten_str mesh, uint32_t rank) {
  ten_buf text = {0};
  ten_buf_printf(&text, "#sdy.sharding<@%.*s, [", TEN_FMT(mesh));
  for (uint32_t i = 0; i < rank; i++) ten_buf_adds(&text, i ? ", {}" : "{}");
  ten_buf_adds(&text, "]>");
  const ten_attr *attr =
      ten_attr_opaque(module, (ten_str){ten_arena_strdup(&module->arena, text.data, text.size), text.size});
  ten_buf_free(&text);
  return attr;
}

static void add_mesh(ten_module *m, const ten_mesh *mesh) {
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
}

static const ten_attr *said(const ten_op *func, uint32_t index, bool result) {
  const ten_attr *sdy =
      result ? ten_func_result_attr(func, index, "sdy.sharding") : ten_func_arg_attr(func, index, "sdy.sharding");
  if (sdy) return sdy;
  return result ? ten_func_result_attr(func, index, "mhlo.sharding") : ten_func_arg_attr(func, index, "mhlo.sharding");
}

/* Annotates what has no sharding: over our mesh as `sharding` says, otherwise replicated; results like the arguments
 * they alias. `name` is the dialect's: sdy.sharding or mhlo.sharding, whose default is `replicated`. */
static void annotate(pjrt_program *p, const ten_mesh *mesh, ten_str mesh_name) {
  ten_module *m = p->module;
  const char *name = mesh_name.size ? "sdy.sharding" : "mhlo.sharding";
  const bool ours = mesh->data > 1 || mesh->model > 1;
  const ten_type *type = ten_func_type(p->func);
  const ten_attr *args = ten_op_attr(p->func, "arg_attrs"), *results = ten_op_attr(p->func, "res_attrs");
  const ten_attr **in = ten_arena_new_array(&m->arena, const ten_attr *, type->input_count + 1),
                 **out = ten_arena_new_array(&m->arena, const ten_attr *, type->result_count + 1);
  const ten_attr *replicated = ten_attr_string(m, TEN_STR("{replicated}"));
  for (uint32_t i = 0; i < type->result_count; i++)
    out[i] = with(m, results, i, name,
                  said(p->func, i, true) ? NULL
                  : mesh_name.size       ? whole(m, mesh_name, type->results[i]->rank)
                                         : replicated);
  for (uint32_t i = 0; i < type->input_count; i++) {
    const ten_attr *known = said(p->func, i, false);
    const ten_attr *how = known            ? known
                          : ours           ? sharding(p, mesh, i)
                          : mesh_name.size ? whole(m, mesh_name, type->inputs[i]->rank)
                                           : replicated;
    const int64_t alias = ten_attr_as_int(ten_func_arg_attr(p->func, i, "tf.aliasing_output"), -1);
    in[i] = with(m, args, i, name, known ? NULL : how);
    if (alias >= 0 && alias < (int64_t)type->result_count && !said(p->func, (uint32_t)alias, true))
      out[alias] = with(m, results, (uint32_t)alias, name, how);
  }
  ten_op_set_attr(m, p->func, TEN_STR("arg_attrs"), ten_attr_array(m, type->input_count, in));
  ten_op_set_attr(m, p->func, TEN_STR("res_attrs"), ten_attr_array(m, type->result_count, out));
}

void pjrt_tilings_free(pjrt_tilings *t) {
  for (uint32_t i = 0; t->inputs && i < t->input_count; i++) ten_tiling_free(&t->inputs[i]);
  for (uint32_t i = 0; t->outputs && i < t->output_count; i++) ten_tiling_free(&t->outputs[i]);
  free(t->inputs);
  free(t->outputs);
  free(t->why);
  *t = (pjrt_tilings){0};
}

static ten_status *read_tiling(const pjrt_program *p, uint32_t index, bool result, uint32_t devices, ten_tiling *out) {
  const ten_attr *how = said(p->func, index, result);
  const ten_type *type = result ? ten_func_type(p->func)->results[index] : ten_func_type(p->func)->inputs[index];
  *out = (ten_tiling){0};
  int64_t local[TEN_RANK_MAX];
  if (how && how->kind == TEN_ATTR_OPAQUE)
    TEN_TRY(ten_tiling_of_sdy(p->module, how->string, (ten_str){0}, type->rank, devices, out));
  else if (how && how->kind == TEN_ATTR_STRING)
    TEN_TRY(ten_tiling_of_hlo(how->string, type->rank, devices, out));
  else
    ten_tiling_whole(type->rank, devices, out);
  if (ten_tiling_local(out, type->dims, local)) return NULL;
  return ten_error(TEN_UNSUPPORTED, "%s %u is not cut into even tiles", result ? "result" : "argument", index);
}

static ten_status *read_tilings(const pjrt_program *p, uint32_t devices, pjrt_tilings *out) {
  const ten_type *type = ten_func_type(p->func);
  *out = (pjrt_tilings){.devices = devices};
  if (devices == 1) return NULL;
  out->inputs = ten_alloc((type->input_count + 1) * sizeof *out->inputs);
  out->outputs = ten_alloc((type->result_count + 1) * sizeof *out->outputs);
  ten_status *status = NULL;
  for (; out->input_count < type->input_count && !status; out->input_count++)
    status = read_tiling(p, out->input_count, false, devices, &out->inputs[out->input_count]);
  for (; out->output_count < type->result_count && !status; out->output_count++)
    status = read_tiling(p, out->output_count, true, devices, &out->outputs[out->output_count]);
  return status;
}

/* The plugin may support shardings that we do not: compiling works, only running the program does not. */
static void keep_reason(pjrt_tilings *tilings, uint32_t devices, ten_status *status) {
  pjrt_tilings_free(tilings);
  ten_buf text = {0};
  ten_buf_adds(&text, ten_status_text(status));
  ten_buf_addc(&text, 0);
  *tilings = (pjrt_tilings){.devices = devices, .why = ten_buf_take(&text)};
  ten_status_free(status);
}

static ten_status *own_shardings(pjrt_program *p, int64_t replicas, int64_t partitions, ten_str mesh_name,
                                 pjrt_spread *out, pjrt_tilings *tilings) {
  static const ten_mesh one = {1, 1};
  if (partitions < 1 || replicas < 1 || partitions > TEN_SPREAD_MOST || replicas > TEN_SPREAD_MOST ||
      partitions * replicas > TEN_SPREAD_MOST)
    return ten_error(TEN_INVALID, "the program says it is for %lld replicas of %lld partitions", (long long)replicas,
                     (long long)partitions);
  out->partitions = (uint32_t)partitions;
  out->replicas = (uint32_t)replicas;
  const uint32_t devices = out->partitions * out->replicas;
  if (devices > 1) annotate(p, &one, mesh_name);
  ten_status *status = replicas > 1 ? ten_error(TEN_UNSUPPORTED, "each of its %lld replicas has arguments of its own",
                                                (long long)replicas)
                                    : read_tilings(p, devices, tilings);
  if (status) keep_reason(tilings, devices, status);
  return NULL;
}

ten_status *pjrt_spread_program(pjrt_program *p, const ten_mesh *mesh, int *devices, pjrt_spread *out,
                                pjrt_tilings *tilings) {
  *out = (pjrt_spread){.replicas = 1, .partitions = mesh->data * mesh->model, .devices = devices};
  *tilings = (pjrt_tilings){.devices = 1};
  const ten_op *root = p->module->op;
  const int64_t partitions = ten_attr_as_int(ten_op_attr(root, "mhlo.num_partitions"), 1),
                replicas = ten_attr_as_int(ten_op_attr(root, "mhlo.num_replicas"), 1);
  ten_str mesh_name = {0};
  for (const ten_op *op = ten_module_body(p->module)->first; op && !out->shardy; op = op->next) {
    out->shardy = ten_str_is(op->name, "sdy.mesh");
    if (out->shardy) mesh_name = ten_attr_as_string(ten_op_attr(op, "sym_name"));
  }
  if (partitions > 1 || replicas > 1 || out->shardy) {
    if (out->partitions > 1)
      return ten_error(TEN_INVALID, "the program says itself how it is spread; --mesh is for programs that do not");
    TEN_TRY(own_shardings(p, replicas, partitions, mesh_name, out, tilings));
  } else if (out->partitions > 1) {
    add_mesh(p->module, mesh);
    annotate(p, mesh, TEN_STR("mesh"));
    out->shardy = true;
    ten_status *status = read_tilings(p, out->partitions, tilings);
    if (status) {
      pjrt_tilings_free(tilings);
      return status;
    }
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
  return ten_annotate(ten_verify(p->module), "computing matmuls in bf16");
}

static ten_status *sharpen(ten_op *op, void *context) {
  enum { HIGHEST = 2 }; /* of DEFAULT, HIGH, HIGHEST */
  ten_module *module = context;
  if (op->code != TEN_OP_DOT_GENERAL && op->code != TEN_OP_CONVOLUTION && op->code != TEN_OP_DOT) return NULL;
  if (ten_op_attr(op, "algorithm")) return NULL; /* the program specifies it */
  const ten_attr *highest = ten_attr_enum(module, TEN_ENUM_PRECISION, HIGHEST), *const both[] = {highest, highest};
  ten_op_set_attr(module, op, TEN_STR("precision_config"), ten_attr_array(module, 2, both));
  return NULL;
}

ten_status *pjrt_use_highest(pjrt_program *p) {
  TEN_TRY(ten_op_walk(p->func, sharpen, p->module));
  return ten_annotate(ten_verify(p->module), "requesting the highest precision");
}
