/* transpose.c: PyTorch stores the kernel of a convolution as [out, in, height, width]; gradients are computed, and
 * kernels packed, as [height, width, in, out]. State that stays in that order need not be transposed in every step:
 * transposes at the boundary of @step cancel with those around its convolutions (transform/pass/layout.c). Checkpoints
 * have PyTorch's order.  Needs: @step with the gradient inlined.  Keeps: what it computes. */
#include "train/transpose.h"

#include "ir/builder.h"
#include "ir/ten.h"

/* The dimension order that a convolution wants for its kernel; false when it has groups or another rank. */
static bool wanted_transpose(const ten_value *parameter, ten_transpose *out) {
  if (parameter->type->rank != TEN_TRANSPOSE_RANK || parameter->type->dtype != TEN_F32) return false;
  for (const ten_use *use = parameter->uses; use; use = use->next) {
    const ten_op *op = use->owner;
    if (op->code != TEN_OP_CONVOLUTION || use->index != 1 || op->block != parameter->block) continue;
    if (ten_op_int(op, "feature_group_count", 1) != 1 || ten_op_int(op, "batch_group_count", 1) != 1) return false;
    const ten_conv_dims d = ten_conv_dims_of(ten_op_attr(op, "dimension_numbers"));
    if (d.kernel_input_feature > d.kernel_output_feature) { /* the forward one: PyTorch's weights have `out` first */
      *out = (ten_transpose){
          4, {d.kernel_spatial.data[0], d.kernel_spatial.data[1], d.kernel_input_feature, d.kernel_output_feature}};
      return true;
    }
  }
  return false;
}

ten_transpose ten_train_transpose_of(const ten_op *step, uint32_t argument) {
  const ten_ints list = ten_attr_as_ints(ten_own_arg_attr(step, argument, TEN_NAME_TRANSPOSED));
  ten_transpose transpose = {.rank = (uint32_t)list.count};
  if (list.count != TEN_TRANSPOSE_RANK) return (ten_transpose){0};
  memcpy(transpose.order, list.data, sizeof transpose.order);
  return transpose;
}

/* Permutes argument and result `i`, with transposes inside. */
static void transpose_slot(ten_module *module, ten_op *step, uint32_t i, const ten_transpose *transpose) {
  ten_block *body = ten_op_body(step, 0);
  ten_op *end = ten_block_terminator(body);
  ten_value *argument = body->args[i];
  int64_t dims[TEN_TRANSPOSE_RANK], back[TEN_TRANSPOSE_RANK];
  for (uint32_t k = 0; k < transpose->rank; k++) {
    dims[k] = argument->type->dims[transpose->order[k]];
    back[transpose->order[k]] = k;
  }
  ten_builder first = {.module = module, .block = body, .before = body->first, .loc = step->loc};
  argument->type = ten_type_with_shape(module, argument->type, transpose->rank, dims);
  ten_value *plain = ten_build_transpose(&first, argument, back);
  for (ten_use *use = argument->uses, *next; use; use = next) {
    next = use->next;
    if (use->owner != plain->op) ten_op_set_operand(use->owner, use->index, plain);
  }
  ten_builder last = {.module = module, .block = body, .before = end, .loc = step->loc};
  ten_op_set_operand(end, i, ten_build_transpose(&last, ten_op_operand(end, i), transpose->order));
}

static void note_transpose(ten_module *module, ten_op *step, uint32_t i, const ten_transpose *transpose) {
  const ten_attr *all = ten_op_attr(step, "arg_attrs");
  const ten_attr **items = ten_arena_copy(&module->arena, all->array.items, all->array.count * sizeof *items);
  const ten_attr *old = items[i];
  ten_named_attr *notes = ten_arena_new_array(&module->arena, ten_named_attr, old->dict.count + 1);
  memcpy(notes, old->dict.items, old->dict.count * sizeof *notes);
  notes[old->dict.count] = ten_own_item(TEN_NAME_TRANSPOSED, ten_attr_dims(module, transpose->rank, transpose->order));
  items[i] = ten_attr_dict(module, old->dict.count + 1, notes);
  ten_op_set_attr(module, step, TEN_STR("arg_attrs"), ten_attr_array(module, all->array.count, items));
}

static ten_str text_of(const ten_op *step, uint32_t i, ten_name name) {
  return ten_attr_as_string(ten_own_arg_attr(step, i, name));
}

ten_status *ten_train_transpose(ten_module *module, ten_op *step) {
  ten_block *body = ten_op_body(step, 0);
  bool any = false;
  for (uint32_t i = 0; i < body->arg_count; i++) {
    ten_transpose transpose;
    const ten_type *type = body->args[i]->type;
    if (!ten_str_is(text_of(step, i, TEN_NAME_ROLE), "parameter") || ten_train_transpose_of(step, i).rank ||
        !wanted_transpose(body->args[i], &transpose))
      continue;
    const ten_str name = text_of(step, i, TEN_NAME_NAME);
    for (uint32_t k = i; k < body->arg_count; k++) { /* the parameter, then "<its name>.exp_avg" and other state */
      const ten_str other = text_of(step, k, TEN_NAME_NAME);
      const bool state = ten_str_is(text_of(step, k, TEN_NAME_ROLE), "state") && other.size > name.size &&
                         !memcmp(other.data, name.data, name.size) && other.data[name.size] == '.' &&
                         body->args[k]->type == type;
      if (k != i && !state) continue;
      transpose_slot(module, step, k, &transpose);
      note_transpose(module, step, k, &transpose);
      any = true;
    }
  }
  if (any) ten_func_update_type(module, step);
  return NULL;
}

bool ten_transpose_fits(const ten_transpose *transpose, uint32_t rank) {
  bool seen[TEN_TRANSPOSE_RANK] = {0};
  if (!transpose->rank) return true;
  if (transpose->rank != rank || rank != TEN_TRANSPOSE_RANK) return false;
  for (uint32_t i = 0; i < rank; i++) {
    if (transpose->order[i] < 0 || transpose->order[i] >= TEN_TRANSPOSE_RANK || seen[transpose->order[i]]) return false;
    seen[transpose->order[i]] = true;
  }
  return true;
}

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

/* Elements of four bytes, by tiles of the last two dimensions: both sides of a tile stay in L1. */
static void turn_words(const void *words, const int64_t *from, const int64_t *dims, uint32_t *to) {
  enum { TILE = 16 };
  const uint32_t *x = words;
  const int64_t row = dims[3], plane = row * dims[2], block = plane * dims[1];
  for (int64_t c0 = 0; c0 < dims[2]; c0 += TILE)
    for (int64_t d0 = 0; d0 < dims[3]; d0 += TILE)
      for (int64_t a = 0; a < dims[0]; a++)
        for (int64_t b = 0; b < dims[1]; b++)
          for (int64_t c = c0; c < least(c0 + TILE, dims[2]); c++)
            for (int64_t d = d0; d < least(d0 + TILE, dims[3]); d++)
              to[a * block + b * plane + c * row + d] = x[a * from[0] + b * from[1] + c * from[2] + d * from[3]];
}

ten_status *ten_transpose_tensor(const ten_tensor *tensor, const ten_transpose *transpose, bool back,
                                 ten_tensor **out) {
  *out = NULL;
  if (!transpose->rank || !ten_transpose_fits(transpose, tensor->rank))
    return ten_error(TEN_INTERNAL, "a tensor of rank %u is transposed in %u dimensions", tensor->rank, transpose->rank);
  int64_t dims[TEN_TRANSPOSE_RANK], strides[TEN_TRANSPOSE_RANK], from[TEN_TRANSPOSE_RANK], order[TEN_TRANSPOSE_RANK];
  for (uint32_t i = 0; i < transpose->rank; i++) order[back ? transpose->order[i] : i] = back ? i : transpose->order[i];
  int64_t stride = 1;
  for (uint32_t i = transpose->rank; i-- > 0;) {
    strides[i] = stride;
    stride *= tensor->dims[i];
  }
  for (uint32_t i = 0; i < transpose->rank; i++) {
    dims[i] = tensor->dims[order[i]];
    from[i] = strides[order[i]];
  }
  TEN_TRY(ten_tensor_create(tensor->dtype, transpose->rank, dims, out));
  const size_t size = tensor->count ? tensor->bytes / tensor->count : 0;
  if (size == sizeof(uint32_t) && (uintptr_t)tensor->data % sizeof(uint32_t) == 0) { /* a file may align it less */
    turn_words(tensor->data, from, dims, (*out)->data);
    return NULL;
  }
  char *to = (*out)->data;
  for (int64_t a = 0; a < dims[0]; a++)
    for (int64_t b = 0; b < dims[1]; b++)
      for (int64_t c = 0; c < dims[2]; c++)
        for (int64_t d = 0; d < dims[3]; d++, to += size)
          memcpy(to,
                 (const char *)tensor->data + (size_t)(a * from[0] + b * from[1] + c * from[2] + d * from[3]) * size,
                 size);
  return NULL;
}
