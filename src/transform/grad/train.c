/* train.c: @main → @loss (weights as arguments, loss of the output) → its gradient → @step (clip, schedule, update) and
 * @init. Needs: StableHLO with static shapes; weights are constants that carry `aten.kind` and `aten.name`.  Keeps:
 * @main. */
#include "transform/grad/train.h"

#include <math.h>
#include <stdlib.h>

#include "ir/assert.h"
#include "ir/ten.h"
#include "transform/grad/grad.h"
#include "transform/grad/optimizer.h"

enum { RANK_MAX = 64 };

typedef struct weight {
  ten_op *constant; /* in @main */
  ten_str name;
} weight;

typedef struct training {
  ten_module *module;
  const ten_train_options *options;
  ten_op *main;
  TEN_VEC(weight) parameters;
  TEN_VEC(weight) buffers;          /* passed through: buffers, frozen parameters, and other values that @main writes */
  TEN_VEC(uint32_t) buffer_results; /* of @main, one for each buffer; UINT32_MAX: unchanged */
  TEN_VEC(const ten_type *) inputs; /* of @main, then of the target */
  uint32_t input_count;             /* of @main */
  uint32_t output_count;            /* of @main, without mutated values */
  bool has_random;                  /* @main's last argument is the random state, which its last result replaces */
  ten_value *random;                /* that argument, used or not; NULL: none */
  uint32_t random_result;           /* of @main */
  ten_op *loss, *gradient;
} training;

static ten_str text_attr(const ten_op *op, const char *name) { return ten_attr_as_string(ten_op_attr(op, name)); }

static ten_status *find_weights(training *t) {
  const ten_block *body = ten_op_body(t->main, 0);
  const ten_op *end = ten_block_terminator(body);
  t->output_count = 0;
  for (uint32_t r = 0; r < end->operand_count; r++) {
    if (ten_func_result_attr(t->main, r, "aten.seed")) {
      t->random_result = r;
      t->random = body->args[body->arg_count - 1];
      t->has_random = !ten_value_used_once(t->random) || ten_op_operand(end, r) != t->random;
    } else if (!ten_func_result_attr(t->main, r, "aten.mutates") &&
               !ten_func_result_attr(t->main, r, "aten.mutates_input")) {
      t->output_count++;
    }
  }
  for (ten_op *op = body->first; op; op = op->next) {
    if (op->code != TEN_OP_CONSTANT || !ten_op_attr(op, "aten.kind")) continue;
    const weight w = {op, text_attr(op, "aten.name")};
    if (ten_str_is(text_attr(op, "aten.kind"), "parameter") && ten_dtype_is_float(op->results[0].type->dtype)) {
      ten_vec_push(&t->parameters, w);
      continue;
    }
    uint32_t result = UINT32_MAX;
    for (uint32_t r = 0; r < end->operand_count; r++)
      if (ten_str_eq(ten_attr_as_string(ten_func_result_attr(t->main, r, "aten.mutates")), w.name)) result = r;
    if (result == UINT32_MAX && ten_str_is(text_attr(op, "aten.kind"), "constant")) continue;
    ten_vec_push(&t->buffers, w);
    ten_vec_push(&t->buffer_results, result);
  }
  if (!t->parameters.count) return ten_op_error(t->main, TEN_INVALID, "@main has no parameters to train");
  t->input_count = body->arg_count - (t->random != NULL);
  for (uint32_t i = 0; i < t->input_count; i++) ten_vec_push(&t->inputs, body->args[i]->type);
  return NULL;
}

static ten_status *wrong_output(const training *t, const ten_type *type, const char *wanted) {
  ten_buf text = {0};
  ten_type_print(&text, type);
  ten_status *status =
      ten_op_error(t->main, TEN_INVALID, "the first result is %s; this loss wants %s", text.data, wanted);
  ten_buf_free(&text);
  return status;
}

/* The targets' types, after those of the inputs. */
static ten_status *find_targets(training *t) {
  const ten_op *end = ten_block_terminator(ten_op_body(t->main, 0));
  if (!t->output_count) return ten_op_error(t->main, TEN_INVALID, "@main returns nothing that a loss could be of");
  const ten_type *output = ten_op_operand(end, 0)->type;
  switch (t->options->loss) {
    case TEN_LOSS_MSE: ten_vec_push(&t->inputs, output); break;
    case TEN_LOSS_OUTPUT:
      if (output->rank || !ten_dtype_is_float(output->dtype)) return wrong_output(t, output, "a float scalar");
      break;
    case TEN_LOSS_CROSS_ENTROPY: {
      int64_t dims[RANK_MAX];
      uint32_t rank = 0;
      if (output->rank < 2 || !ten_dtype_is_float(output->dtype))
        return wrong_output(t, output, "floats of [batch, classes, …]");
      for (uint32_t i = 0; i < output->rank; i++)
        if (i != 1) dims[rank++] = output->dims[i];
      ten_vec_push(&t->inputs, ten_type_tensor(t->module, TEN_I64, rank, dims));
      break;
    }
    case TEN_LOSS_PROGRAM: {
      const ten_op *program = ten_module_entry(t->options->loss_program, (ten_str){0});
      if (!program) return ten_error(TEN_INVALID, "the loss program has no @main");
      const ten_type *type = ten_func_type(program);
      if (type->input_count < t->output_count)
        return ten_op_error(program, TEN_INVALID, "the loss program takes %u values, the model gives %u",
                            type->input_count, t->output_count);
      for (uint32_t i = 0; i < type->input_count; i++) {
        const ten_type *wanted = ten_type_import(t->module, type->inputs[i]);
        if (i < t->output_count && wanted != ten_op_operand(end, i)->type)
          return ten_op_error(program, TEN_INVALID,
                              "argument %u of the loss program is not of the type of the model's result %u", i, i);
        if (i >= t->output_count) ten_vec_push(&t->inputs, wanted);
      }
      break;
    }
  }
  return NULL;
}

static ten_value *sum_all(ten_builder *b, ten_value *x) {
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < x->type->rank; i++) dims[i] = i;
  return x->type->rank ? ten_build_reduce(b, TEN_OP_ADD, x, ten_build_scalar(b, x->type->dtype, 0), x->type->rank, dims)
                       : x;
}

static ten_value *mse(ten_builder *b, ten_value *output, ten_value *target) {
  ten_value *d = ten_build_binary(b, TEN_OP_SUBTRACT, output, target),
            *sum = sum_all(b, ten_build_binary(b, TEN_OP_MULTIPLY, d, d));
  return ten_build_binary(b, TEN_OP_DIVIDE, sum, ten_build_like(b, sum, (double)ten_type_count(output->type)));
}

/* Checks that every target is a class, or -100. */
static void assert_classes(ten_builder *b, ten_value *target, int64_t classes) {
  const ten_type *wide = ten_type_with_dtype(b->module, target->type, TEN_UI64),
                 *scalar = ten_type_tensor(b->module, TEN_I64, 0, NULL);
  int64_t dims[RANK_MAX];
  for (uint32_t i = 0; i < target->type->rank; i++) dims[i] = i;
  ten_value *skip = ten_build_compare(b, TEN_EQ, target, ten_build_splat_int(b, target->type, -100));
  ten_value *class = ten_build_select(b, skip, ten_build_splat_int(b, target->type, 0), target);
  class = ten_op_result(ten_build_op(b, TEN_OP_BITCAST_CONVERT, 1, &class, 1, &wide, 0, NULL, 0), 0);
  ten_value *top = class;
  if (target->type->rank)
    top = ten_build_reduce(b, TEN_OP_MAXIMUM, class, ten_build_scalar_int(b, TEN_UI64, 0), target->type->rank, dims);
  ten_value *ok = ten_build_compare(b, TEN_LT, top, ten_build_scalar_int(b, TEN_UI64, classes));
  ten_value *shown = ten_op_result(ten_build_op(b, TEN_OP_BITCAST_CONVERT, 1, &top, 1, &scalar, 0, NULL, 0), 0);
  ten_buf text = {0};
  ten_buf_printf(&text, "Target {} is out of bounds: there are %lld classes (cross_entropy)", (long long)classes);
  ten_build_assert(b, ok, shown, "IndexError", (ten_str){text.data, text.size});
  ten_buf_free(&text);
}

/* The mean of -log softmax at the target over dimension 1; targets of -100 are ignored, as in PyTorch. */
static ten_value *cross_entropy(ten_builder *b, ten_value *logits, ten_value *target) {
  const ten_type *type = logits->type;
  int64_t map[RANK_MAX];
  uint32_t rank = 0;
  const int64_t classes = 1;
  for (uint32_t i = 0; i < type->rank; i++)
    if (i != 1) map[rank++] = i;
  ten_value *low = ten_build_scalar(b, type->dtype, -HUGE_VAL);
  ten_value *top = ten_build_reduce(b, TEN_OP_MAXIMUM, logits, low, 1, &classes);
  ten_own_attr_set(b->module, top->op, TEN_NAME_SHIFT, ten_attr_unit(b->module));
  ten_value *shifted =
      ten_build_binary(b, TEN_OP_SUBTRACT, logits, ten_build_broadcast(b, top, type->rank, type->dims, map));
  ten_value *zero = ten_build_scalar(b, type->dtype, 0);
  ten_value *total =
      ten_build_reduce(b, TEN_OP_ADD, ten_build_unary(b, TEN_OP_EXPONENTIAL, shifted), zero, 1, &classes);
  ten_value *log_total = ten_build_unary(b, TEN_OP_LOG, total);
  ten_value *places = ten_build_iota(b, ten_type_with_dtype(b->module, type, TEN_I64), 1);
  ten_value *hit = ten_build_compare(b, TEN_EQ, places, ten_build_broadcast(b, target, type->rank, type->dims, map));
  ten_value *picked = ten_build_reduce(b, TEN_OP_ADD, ten_build_select(b, hit, shifted, ten_build_like(b, shifted, 0)),
                                       zero, 1, &classes);
  ten_value *each = ten_build_binary(b, TEN_OP_SUBTRACT, log_total, picked);
  ten_value *counts = ten_build_compare(b, TEN_NE, target, ten_build_splat_int(b, target->type, -100));
  ten_value *sum = sum_all(b, ten_build_select(b, counts, each, ten_build_like(b, each, 0)));
  return ten_build_binary(b, TEN_OP_DIVIDE, sum, sum_all(b, ten_build_convert(b, counts, type->dtype)));
}

/* The loss program's @main, copied; calls to its other functions are not inlined. */
static ten_status *program_loss(training *t, ten_builder *b, ten_value **outputs, ten_value *const *targets,
                                ten_value **out_loss) {
  const ten_op *program = ten_module_entry(t->options->loss_program, (ten_str){0});
  const ten_block *body = ten_op_body(program, 0);
  ten_value_map map = {0};
  ten_status *status = NULL;
  for (uint32_t i = 0; i < body->arg_count; i++)
    ten_value_map_set(&map, body->args[i], i < t->output_count ? outputs[i] : targets[i - t->output_count]);
  for (const ten_op *op = body->first; op && !status; op = op->next) {
    if (op->code == TEN_OP_CALL || op->code == TEN_OP_COMPOSITE)
      status = ten_op_error(op, TEN_UNSUPPORTED, "a loss program must be one function");
    else if (ten_op_has(op, TEN_TRAIT_TERMINATOR))
      *out_loss = op->operand_count ? ten_value_map_get(&map, ten_op_operand(op, 0)) : NULL;
    else
      ten_op_append(b->block, ten_op_clone(t->module, op, &map));
  }
  ten_value_map_free(&map);
  if (!status && (!*out_loss || (*out_loss)->type->rank))
    status = ten_op_error(program, TEN_INVALID, "the loss program must return a float scalar");
  return status;
}

/* @loss(parameters…, buffers…, random?, inputs…, target) -> (loss, buffers…, random?) */
static ten_status *build_loss(training *t) {
  ten_module *m = t->module;
  TEN_VEC(const ten_type *) types = {0};
  for (size_t i = 0; i < t->parameters.count; i++)
    ten_vec_push(&types, t->parameters.data[i].constant->results[0].type);
  for (size_t i = 0; i < t->buffers.count; i++) ten_vec_push(&types, t->buffers.data[i].constant->results[0].type);
  if (t->has_random) ten_vec_push(&types, t->random->type);
  for (size_t i = 0; i < t->inputs.count; i++) ten_vec_push(&types, t->inputs.data[i]);
  t->loss = ten_func_create(m, TEN_STR("loss"), (uint32_t)types.count, types.data, 0, NULL, t->main->loc);
  ten_vec_free(&types);
  ten_block *body = ten_op_body(t->loss, 0);
  ten_builder b = {.module = m, .block = body, .loc = t->main->loc};
  const ten_block *source = ten_op_body(t->main, 0);
  ten_value_map map = {0};
  uint32_t at = 0;
  for (size_t i = 0; i < t->parameters.count; i++)
    ten_value_map_set(&map, &t->parameters.data[i].constant->results[0], body->args[at++]);
  for (size_t i = 0; i < t->buffers.count; i++)
    ten_value_map_set(&map, &t->buffers.data[i].constant->results[0], body->args[at++]);
  if (t->has_random) ten_value_map_set(&map, t->random, body->args[at++]);
  for (uint32_t i = 0; i < t->input_count; i++) ten_value_map_set(&map, source->args[i], body->args[at++]);
  ten_value *const *targets = body->args + at;
  const ten_op *end = ten_block_terminator(source);
  for (const ten_op *op = source->first; op != end; op = op->next) {
    if (op->code == TEN_OP_CONSTANT && ten_value_map_get(&map, &op->results[0])) continue;
    ten_op_append(body, ten_op_clone(m, op, &map));
  }
  ten_value **outputs = ten_arena_new_array(&m->arena, ten_value *, end->operand_count + 1);
  for (uint32_t i = 0; i < end->operand_count; i++) outputs[i] = ten_value_map_get(&map, ten_op_operand(end, i));
  ten_value *loss = NULL;
  bool checks;
  ten_status *status = ten_asserts_wanted(&checks);
  if (t->options->loss == TEN_LOSS_CROSS_ENTROPY && checks) assert_classes(&b, targets[0], outputs[0]->type->dims[1]);
  switch (t->options->loss) {
    case TEN_LOSS_MSE: loss = mse(&b, outputs[0], targets[0]); break;
    case TEN_LOSS_CROSS_ENTROPY: loss = cross_entropy(&b, outputs[0], targets[0]); break;
    case TEN_LOSS_OUTPUT: loss = outputs[0]; break;
    case TEN_LOSS_PROGRAM: status = ten_first_error(status, program_loss(t, &b, outputs, targets, &loss)); break;
  }
  if (!status) {
    TEN_VEC(ten_value *) results = {0};
    ten_vec_push(&results, loss);
    for (size_t i = 0; i < t->buffers.count; i++) {
      const uint32_t result = t->buffer_results.data[i];
      ten_vec_push(&results, result == UINT32_MAX ? body->args[t->parameters.count + i] : outputs[result]);
    }
    if (t->has_random) ten_vec_push(&results, outputs[t->random_result]);
    ten_build_return(&b, (uint32_t)results.count, results.data);
    ten_vec_free(&results);
    ten_func_update_type(m, t->loss);
  }
  ten_value_map_free(&map);
  return status;
}

/* Arguments of @step that it also returns, in order. */
typedef struct slot {
  const ten_type *type;
  ten_str role, name;
  const ten_attr *initial; /* NULL: zeros */
} slot;
typedef TEN_VEC(slot) slots;

static ten_str joined(training *t, ten_str a, const char *b) {
  ten_buf text = {0};
  ten_buf_printf(&text, "%.*s.%s", TEN_FMT(a), b);
  const ten_str copy = {ten_arena_strdup(&t->module->arena, text.data, text.size), text.size};
  ten_buf_free(&text);
  return copy;
}

static void list_slots(training *t, slots *list) {
  const ten_train_options *o = t->options;
  for (size_t i = 0; i < t->parameters.count; i++) {
    const weight *w = &t->parameters.data[i];
    ten_vec_push(
        list, (slot){w->constant->results[0].type, TEN_STR("parameter"), w->name, ten_op_attr(w->constant, "value")});
  }
  for (size_t i = 0; i < t->parameters.count; i++) {
    const weight *w = &t->parameters.data[i];
    const ten_type *types[TEN_OPTIMIZER_SLOTS_MAX];
    const char *names[TEN_OPTIMIZER_SLOTS_MAX];
    const uint32_t count = ten_optimizer_slots(t->module, o, w->constant->results[0].type, types, names);
    for (uint32_t s = 0; s < count; s++)
      ten_vec_push(list, (slot){types[s], TEN_STR("state"), joined(t, w->name, names[s]), NULL});
    if (o->accumulate > 1)
      ten_vec_push(list,
                   (slot){w->constant->results[0].type, TEN_STR("state"), joined(t, w->name, "accumulated"), NULL});
  }
  ten_vec_push(list, (slot){ten_type_tensor(t->module, TEN_I64, 0, NULL), TEN_STR("step"), TEN_STR("step"), NULL});
  for (size_t i = 0; i < t->buffers.count; i++) {
    const weight *w = &t->buffers.data[i];
    const ten_str role =
        ten_str_is(text_attr(w->constant, "aten.kind"), "constant") ? TEN_STR("state") : TEN_STR("buffer");
    ten_vec_push(list, (slot){w->constant->results[0].type, role, w->name, ten_op_attr(w->constant, "value")});
  }
  if (t->has_random) ten_vec_push(list, (slot){t->random->type, TEN_STR("random"), TEN_STR("random"), NULL});
}

static const ten_attr *arg_note(training *t, ten_str role, ten_str name, int64_t result) {
  ten_module *m = t->module;
  ten_named_attr items[] = {
      ten_own_item(TEN_NAME_ROLE, ten_attr_string(m, role)),
      ten_own_item(TEN_NAME_NAME, ten_attr_string(m, name)),
      {TEN_STR("tf.aliasing_output"), result >= 0 ? ten_attr_i32(m, (int32_t)result) : NULL, false}};
  return ten_attr_dict(m, result >= 0 ? 3 : 2, items);
}

static void build_init(training *t, const slots *list) {
  ten_op *func = ten_func_create(t->module, TEN_STR("init"), 0, NULL, 0, NULL, t->main->loc);
  ten_builder b = {.module = t->module, .block = ten_op_body(func, 0), .loc = t->main->loc};
  ten_value **values = ten_arena_new_array(&t->module->arena, ten_value *, list->count);
  for (size_t i = 0; i < list->count; i++)
    values[i] = list->data[i].initial ? ten_build_constant(&b, list->data[i].initial)
                                      : ten_build_splat(&b, list->data[i].type, 0);
  ten_build_return(&b, (uint32_t)list->count, values);
  ten_func_update_type(t->module, func);
}

/* Scales all gradients so that their global norm is at most `clip`. */
static void clip_all(ten_builder *b, double clip, size_t count, ten_value **gradients) {
  ten_value *total = NULL;
  for (size_t i = 0; i < count; i++) {
    ten_value *g = ten_build_convert(b, gradients[i], TEN_F32),
              *square = sum_all(b, ten_build_binary(b, TEN_OP_MULTIPLY, g, g));
    total = total ? ten_build_binary(b, TEN_OP_ADD, total, square) : square;
  }
  ten_value *norm = ten_build_unary(b, TEN_OP_SQRT, total),
            *bottom = ten_build_binary(b, TEN_OP_ADD, norm, ten_build_like(b, norm, 1e-6));
  ten_value *factor = ten_build_binary(b, TEN_OP_DIVIDE, ten_build_like(b, norm, clip), bottom);
  factor = ten_build_binary(b, TEN_OP_MINIMUM, factor, ten_build_like(b, norm, 1));
  for (size_t i = 0; i < count; i++) {
    ten_value *own = ten_build_convert(b, factor, gradients[i]->type->dtype);
    own = ten_build_broadcast_to(b, own, gradients[i]->type->rank, gradients[i]->type->dims);
    gradients[i] = ten_build_binary(b, TEN_OP_MULTIPLY, gradients[i], own);
  }
}

/* Updates every parameter; `now` are the old values of the slots, `next` receives the new ones. */
static void update_all(training *t, ten_builder *b, ten_value *const *now, ten_value **gradients, ten_value *step,
                       ten_value **next) {
  const ten_train_options *o = t->options;
  const size_t count = t->parameters.count;
  const int64_t every = o->accumulate > 1 ? o->accumulate : 1;
  ten_value *one = ten_build_scalar_int(b, TEN_I64, 1), *micro = ten_build_binary(b, TEN_OP_ADD, step, one),
            *updates = micro, *due = NULL;
  if (every > 1) {
    ten_value *n = ten_build_scalar_int(b, TEN_I64, every);
    updates = ten_build_binary(b, TEN_OP_DIVIDE, micro, n);
    due = ten_build_compare(b, TEN_EQ, ten_build_binary(b, TEN_OP_REMAINDER, micro, n),
                            ten_build_scalar_int(b, TEN_I64, 0));
    updates = ten_build_binary(b, TEN_OP_MAXIMUM, updates, one);
  }
  TEN_VEC(ten_value *) sums = {0};
  size_t at = count;
  for (size_t i = 0; i < count && every > 1; i++) { /* accumulate the gradients, and continue with the sum */
    const ten_type *types[TEN_OPTIMIZER_SLOTS_MAX];
    const char *names[TEN_OPTIMIZER_SLOTS_MAX];
    at += ten_optimizer_slots(t->module, o, gradients[i]->type, types, names);
    ten_value *part =
        ten_build_binary(b, TEN_OP_MULTIPLY, gradients[i], ten_build_like(b, gradients[i], 1.0 / (double)every));
    gradients[i] = ten_build_binary(b, TEN_OP_ADD, now[at++], part);
    ten_vec_push(&sums, gradients[i]);
  }
  if (o->clip > 0) clip_all(b, o->clip, count, gradients);
  ten_value *counted = ten_build_convert(b, updates, TEN_F32);
  const ten_update u = {.b = b, .options = o, .step = counted, .lr = ten_optimizer_rate(b, o, counted)};
  at = count;
  for (size_t i = 0; i < count; i++) {
    const ten_type *types[TEN_OPTIMIZER_SLOTS_MAX];
    const char *names[TEN_OPTIMIZER_SLOTS_MAX];
    ten_value *state[TEN_OPTIMIZER_SLOTS_MAX] = {NULL};
    const uint32_t slot_count = ten_optimizer_slots(t->module, o, now[i]->type, types, names);
    for (uint32_t s = 0; s < slot_count; s++) state[s] = now[at + s];
    ten_value *updated = ten_optimizer_update(&u, now[i], gradients[i], state);
    next[i] = due ? ten_build_select(b, due, updated, now[i]) : updated;
    for (uint32_t s = 0; s < slot_count; s++, at++)
      next[at] = due ? ten_build_select(b, due, state[s], now[at]) : state[s];
    if (due) {
      next[at] = ten_build_select(b, due, ten_build_like(b, sums.data[i], 0), sums.data[i]);
      at++;
    }
  }
  next[at] = micro;
  ten_vec_free(&sums);
}

/* A loss that is not finite changes nothing: returns the old state, whose buffer may have been donated. */
static void keep_unless_finite(ten_builder *b, size_t count, ten_value *const *now, ten_value **next) {
  ten_value *loss = next[count];
  ten_value *finite =
      ten_build_compare(b, TEN_LT, ten_build_unary(b, TEN_OP_ABS, loss), ten_build_like(b, loss, HUGE_VAL));
  for (size_t i = 0; i < count; i++) next[i] = ten_build_select(b, finite, next[i], now[i]);
}

static void build_step(training *t, const slots *list) {
  ten_module *m = t->module;
  const size_t count = t->parameters.count, buffers = t->buffers.count + t->has_random;
  TEN_VEC(const ten_type *) types = {0};
  TEN_VEC(const ten_attr *) notes = {0};
  for (size_t i = 0; i < list->count; i++) {
    ten_vec_push(&types, list->data[i].type);
    ten_vec_push(&notes, arg_note(t, list->data[i].role, list->data[i].name, (int64_t)i));
  }
  for (size_t i = 0; i < t->inputs.count; i++) {
    const bool input = i < t->input_count;
    const ten_str name = input ? ten_op_body(t->main, 0)->args[i]->name : TEN_STR("target");
    ten_vec_push(&types, t->inputs.data[i]);
    ten_vec_push(&notes, arg_note(t, input ? TEN_STR("input") : TEN_STR("target"), name, -1));
  }
  ten_op *func = ten_func_create(m, TEN_STR("step"), (uint32_t)types.count, types.data, 0, NULL, t->main->loc);
  ten_op_set_attr(m, func, TEN_STR("arg_attrs"), ten_attr_array(m, notes.count, notes.data));
  ten_block *body = ten_op_body(func, 0);
  ten_builder b = {.module = m, .block = body, .loc = t->main->loc};
  ten_value **args = ten_arena_new_array(&m->arena, ten_value *, types.count),
            **next = ten_arena_new_array(&m->arena, ten_value *, list->count + 1);
  uint32_t at = 0;
  const size_t first_buffer = list->count - buffers;
  for (size_t i = 0; i < count; i++) args[at++] = body->args[i];
  for (size_t i = 0; i < buffers; i++) args[at++] = body->args[first_buffer + i];
  for (size_t i = 0; i < t->inputs.count; i++) args[at++] = body->args[list->count + i];
  ten_op *call = ten_build_call(&b, t->gradient, args); /* loss, buffers…, gradients… */
  ten_value **gradients = ten_arena_new_array(&m->arena, ten_value *, count);
  for (size_t i = 0; i < count; i++) gradients[i] = &call->results[1 + buffers + i];
  update_all(t, &b, body->args, gradients, body->args[first_buffer - 1], next);
  for (size_t i = 0; i < buffers; i++) next[first_buffer + i] = &call->results[1 + i];
  next[list->count] = &call->results[0];
  keep_unless_finite(&b, list->count, body->args, next);
  ten_build_return(&b, (uint32_t)list->count + 1, next);
  ten_func_update_type(m, func);
  ten_vec_free(&types);
  ten_vec_free(&notes);
}

static ten_status *build(training *t) {
  TEN_TRY(find_weights(t));
  TEN_TRY(find_targets(t));
  TEN_TRY(build_loss(t));
  TEN_VEC(uint32_t) by = {0};
  for (uint32_t i = 0; i < t->parameters.count; i++) ten_vec_push(&by, i);
  const ten_grad_options grad = {.args = by.data, .arg_count = by.count, .with_results = true, .mark_forward = true};
  ten_status *status = ten_grad(t->module, t->loss, &grad, &t->gradient);
  ten_vec_free(&by);
  if (status) return status;
  const ten_attr *hidden = ten_attr_string(t->module, TEN_STR("private"));
  ten_op_set_attr(t->module, t->gradient, TEN_STR("sym_visibility"), hidden);
  slots list = {0};
  list_slots(t, &list);
  build_init(t, &list);
  build_step(t, &list);
  ten_vec_free(&list);
  ten_op_erase(t->loss);
  return NULL;
}

ten_status *ten_train_build(ten_module *module, const ten_train_options *options) {
  training t = {.module = module, .options = options, .main = ten_module_entry(module, (ten_str){0})};
  if (!t.main || !ten_op_body(t.main, 0)) return ten_error(TEN_INVALID, "the program has no @main to train");
  ten_status *status = build(&t);
  ten_vec_free(&t.parameters);
  ten_vec_free(&t.buffers);
  ten_vec_free(&t.buffer_results);
  ten_vec_free(&t.inputs);
  return ten_annotate(status, "making a training step of @%.*s", TEN_FMT(ten_func_name(t.main)));
}
