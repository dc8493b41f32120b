/* digest.c: serializes a program for a digest: every list with its length, every choice with its number, so that
 * different programs never add the same bytes. Names of values and locations are ignored; values are numbered in walk
 * order, as in equal.c. */
#include "base/digest.h"

#include "ir/module.h"

typedef struct walk {
  ten_digester *out;
  ten_data_digest data; /* may be NULL */
  void *user;
  uint32_t next;
} walk;

static void add(walk *w, uint64_t number) { ten_digester_add_u64(w->out, number); }
static void add_bytes(walk *w, const void *data, size_t size) {
  add(w, size);
  ten_digester_add(w->out, data, size);
}

static void add_attr(walk *w, const ten_attr *attr);

static void add_quant(walk *w, const ten_quant *q) {
  add(w, (uint64_t)q->storage);
  add(w, (uint64_t)q->expressed);
  add(w, (uint64_t)q->storage_min);
  add(w, (uint64_t)q->storage_max);
  add(w, q->is_signed);
  add_bytes(w, q->axes, q->axis_count * sizeof *q->axes);
  add_bytes(w, q->block_sizes, q->block_sizes ? q->axis_count * sizeof *q->block_sizes : 0);
  add_bytes(w, q->blocks, q->block_rank * sizeof *q->blocks);
  add_bytes(w, q->scales, q->count * sizeof *q->scales);
  add_bytes(w, q->zero_points, q->count * sizeof *q->zero_points);
}

static void add_type(walk *w, const ten_type *type) {
  add(w, type != NULL);
  if (!type) return;
  add(w, (uint64_t)type->kind << 32 | (uint64_t)type->dtype << 1 | type->ranked);
  add_bytes(w, type->dims, type->rank * sizeof *type->dims);
  add_type(w, type->element);
  add_attr(w, type->encoding);
  add(w, type->quant != NULL);
  if (type->quant) add_quant(w, type->quant);
  add(w, type->input_count);
  for (uint32_t i = 0; i < type->input_count; i++) add_type(w, type->inputs[i]);
  add(w, type->result_count);
  for (uint32_t i = 0; i < type->result_count; i++) add_type(w, type->results[i]);
  ten_digester_add_str(w->out, type->text);
}

static void add_dense(walk *w, const ten_attr *attr) {
  add_type(w, attr->dense.type);
  add(w, (uint64_t)attr->dense.splat << 1 | (attr->dense.data != NULL));
  if (!attr->dense.data) {
    ten_digester_add_str(w->out, attr->dense.resource);
    return;
  }
  add(w, attr->dense.size);
  if (w->data && w->data(w->user, attr, w->out)) return; /* 1 marks a stand-in, 0 marks data */
  add(w, 0);
  ten_digester_add(w->out, attr->dense.data, attr->dense.size);
}

/* An optional field that is an empty list equals an absent one. */
static bool says_nothing(const ten_attr *attr, const ten_attr_spec *spec) {
  return !attr || (!spec->required && attr->kind == TEN_ATTR_LIST && !attr->list.count);
}

static void add_record(walk *w, const ten_attr *attr) {
  const ten_struct_info *info = &ten_struct_infos[attr->record.id];
  add(w, (uint64_t)attr->record.id);
  for (uint32_t i = 0; i < info->field_count; i++) {
    const bool empty = says_nothing(attr->record.fields[i], &info->fields[i]);
    add_attr(w, empty ? NULL : attr->record.fields[i]);
  }
}

static void add_attr(walk *w, const ten_attr *attr) {
  add(w, attr ? (uint64_t)attr->kind + 1 : 0);
  if (!attr) return;
  switch (attr->kind) {
    case TEN_ATTR_UNIT:
    case TEN_ATTR_LOC: return;
    case TEN_ATTR_INT: add(w, (uint64_t)attr->integer.value), add_type(w, attr->integer.type); return;
    case TEN_ATTR_FLOAT:
      ten_digester_add(w->out, &attr->real.value, sizeof attr->real.value);
      add_type(w, attr->real.type);
      return;
    case TEN_ATTR_STRING:
    case TEN_ATTR_OPAQUE: ten_digester_add_str(w->out, attr->string); return;
    case TEN_ATTR_TYPE: add_type(w, attr->type); return;
    case TEN_ATTR_SYMBOL:
      add(w, attr->symbol.count);
      for (size_t i = 0; i < attr->symbol.count; i++) ten_digester_add_str(w->out, attr->symbol.path[i]);
      return;
    case TEN_ATTR_ARRAY:
      add(w, attr->array.count);
      for (size_t i = 0; i < attr->array.count; i++) add_attr(w, attr->array.items[i]);
      return;
    case TEN_ATTR_DICT:
      add(w, attr->dict.count);
      for (size_t i = 0; i < attr->dict.count; i++) {
        ten_digester_add_str(w->out, attr->dict.items[i].name);
        add_attr(w, attr->dict.items[i].value);
      }
      return;
    case TEN_ATTR_DENSE:
    case TEN_ATTR_RESOURCE: add_dense(w, attr); return;
    case TEN_ATTR_LIST:
      add(w, (uint64_t)attr->list.dtype);
      add_bytes(w, attr->list.data, attr->list.count * ten_dtype_bytes(attr->list.dtype));
      return;
    case TEN_ATTR_ENUM: add(w, (uint64_t)attr->enumeration.id << 32 | (uint32_t)attr->enumeration.value); return;
    case TEN_ATTR_STRUCT: add_record(w, attr); return;
  }
}

static void add_op(walk *w, const ten_op *op);

static void add_region(walk *w, const ten_region *region) {
  for (const ten_block *block = region->first; block; block = block->next) {
    add(w, 1); /* one more block */
    add(w, block->arg_count);
    for (uint32_t i = 0; i < block->arg_count; i++) {
      add_type(w, block->args[i]->type);
      block->args[i]->number = w->next++;
    }
    for (const ten_op *op = block->first; op; op = op->next) {
      add(w, 1); /* one more op */
      add_op(w, op);
    }
    add(w, 0);
  }
  add(w, 0);
}

static void add_op(walk *w, const ten_op *op) {
  add(w, (uint64_t)op->code);
  if (op->code == TEN_OP_UNKNOWN) ten_digester_add_str(w->out, op->name);
  add(w, op->operand_count);
  for (uint32_t i = 0; i < op->operand_count; i++)
    add(w, op->operands[i].value ? op->operands[i].value->number : UINT64_MAX);
  add(w, op->attr_count);
  for (uint32_t i = 0; i < op->attr_count; i++) {
    ten_digester_add_str(w->out, op->attrs[i].name);
    add_attr(w, op->attrs[i].value);
  }
  add(w, op->result_count);
  for (uint32_t i = 0; i < op->result_count; i++) {
    add_type(w, op->results[i].type);
    op->results[i].number = w->next++;
  }
  add(w, op->region_count);
  for (uint32_t i = 0; i < op->region_count; i++) add_region(w, &op->regions[i]);
}

void ten_op_digest(const ten_op *op, ten_data_digest data, void *user, ten_digester *digester) {
  walk w = {.out = digester, .data = data, .user = user, .next = 1};
  add_op(&w, op);
}

ten_digest ten_attr_digest(const ten_attr *attr) {
  ten_digester digester;
  ten_digester_init(&digester);
  walk w = {.out = &digester};
  add_attr(&w, attr);
  return ten_digester_result(&digester);
}
