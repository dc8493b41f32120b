/* partitioner.c: calls partitioned by a function of the caller: JAX's custom_partitioning, whose functions jaxlib
 * registers here. Shapes and shardings are passed as XLA's protocol buffers, programs as MLIR. The functions' answers
 * are recorded, so that a stored program can be loaded without them: it replays the same answers in order.
 * Keeps: a function's error, with its text, as the compilation's. */
#include <stdlib.h>

#include "base/proto.h"
#include "base/thread.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "plugin/plugin.h"

typedef JAX_CustomCallPartitioner_string text_view;
typedef JAX_CustomCallPartitioner_aval value_view;
typedef JAX_CustomCallPartitioner_version_and_error call_head;
typedef JAX_CustomCallPartitioner_Callbacks partition_functions;

typedef struct registration {
  char *name; /* owned */
  partition_functions *functions;
} registration;

static ten_mutex mutex = TEN_MUTEX_INIT;
static TEN_VEC(registration) registrations; /* guarded by mutex; entries stay, as a compilation may be using one */

static partition_functions *find_functions(ten_str name) {
  partition_functions *found = NULL;
  ten_mutex_lock(&mutex);
  for (size_t i = 0; i < registrations.count; i++)
    if (ten_str_is(name, registrations.data[i].name)) found = registrations.data[i].functions;
  ten_mutex_unlock(&mutex);
  return found;
}

static PJRT_Error *register_partitioner(PJRT_Register_Custom_Partitioner_Args *args) {
  if (!args->callbacks || args->callbacks->version != 0)
    return plugin_error(ten_error(TEN_UNSUPPORTED, "custom partitioner functions of version %lld; 0 is understood",
                                  args->callbacks ? (long long)args->callbacks->version : -1));
  ten_buf name = {0};
  ten_buf_add(&name, args->name, args->name_size);
  const registration made = {ten_buf_take(&name), args->callbacks};
  ten_mutex_lock(&mutex);
  ten_vec_push(&registrations, made); /* the newest of a name is used */
  ten_mutex_unlock(&mutex);
  return NULL;
}

/* Such a call gets unsplit operands, which is valid for any call. */
static PJRT_Error *register_batch_partitionable(PJRT_Register_Batch_Partitionable_Args *args) {
  (void)args;
  return NULL;
}

PJRT_Custom_Partitioner_Extension plugin_partitioners = {
    .base = {.struct_size = sizeof(PJRT_Custom_Partitioner_Extension),
             .type = PJRT_Extension_Type_Custom_Partitioner,
             .next = &plugin_layouts.base},
    .register_custom_partitioner = register_partitioner,
    .register_batch_partitionable = register_batch_partitionable};

/* XLA's PrimitiveType. */
static uint64_t xla_type_of(ten_dtype dtype) {
  static const struct {
    ten_dtype ours;
    uint64_t theirs;
  } types[] = {{TEN_I1, 1},          {TEN_I8, 2},          {TEN_I16, 3},       {TEN_I32, 4},   {TEN_I64, 5},
               {TEN_UI8, 6},         {TEN_UI16, 7},        {TEN_UI32, 8},      {TEN_UI64, 9},  {TEN_F16, 10},
               {TEN_F32, 11},        {TEN_F64, 12},        {TEN_C64, 15},      {TEN_BF16, 16}, {TEN_C128, 18},
               {TEN_F8E5M2, 19},     {TEN_F8E4M3FN, 20},   {TEN_I4, 21},       {TEN_UI4, 22},  {TEN_F8E4M3B11FNUZ, 23},
               {TEN_F8E5M2FNUZ, 24}, {TEN_F8E4M3FNUZ, 25}, {TEN_I2, 26},       {TEN_UI2, 27},  {TEN_F8E4M3, 28},
               {TEN_F8E3M4, 29},     {TEN_F4E2M1FN, 32},   {TEN_F8E8M0FNU, 33}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].ours == dtype) return types[i].theirs;
  return 0;
}

/* ShapeProto: 2 element type, 3 dimensions, 4 shapes of a tuple, 6 whether each dimension is dynamic. */
static void put_shape(ten_buf *out, const ten_type *type) {
  ten_proto_put_varint(out, 2, xla_type_of(type->dtype));
  for (uint32_t i = 0; i < type->rank; i++) ten_proto_put_varint(out, 3, (uint64_t)type->dims[i]);
  for (uint32_t i = 0; i < type->rank; i++) ten_proto_put_varint(out, 6, 0);
}

/* Arguments of a call: texts that live until it returns. */
typedef struct call_texts {
  ten_buf *texts; /* shapes and shardings of the operands alternately, then shape and sharding of the result */
  size_t count;
  value_view *operands;
  value_view result;
  text_view config;
} call_texts;

static text_view view_of(const ten_buf *text) { return (text_view){text->data ? text->data : "", text->size}; }

/* One result is that value, several are a tuple. */
static void put_results(ten_buf *shape, ten_buf *sharding, const ten_partition_call *call) {
  enum { XLA_TUPLE = 13, SHARDING_TUPLE = 2 };
  const ten_op *op = call->op;
  if (op->result_count == 1) {
    put_shape(shape, op->results[0].type);
    plugin_put_sharding(sharding, &call->results[0]);
    return;
  }
  ten_proto_put_varint(shape, 2, XLA_TUPLE);
  ten_proto_put_varint(sharding, 1, SHARDING_TUPLE);
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_buf part = {0};
    put_shape(&part, op->results[i].type);
    ten_proto_put_bytes(shape, 4, (ten_str){part.data, part.size});
    part.size = 0;
    plugin_put_sharding(&part, &call->results[i]);
    ten_proto_put_bytes(sharding, 5, (ten_str){part.data, part.size});
    ten_buf_free(&part);
  }
}

static void describe_call(const ten_partition_call *call, call_texts *out) {
  const ten_op *op = call->op;
  const ten_str config = ten_attr_as_string(ten_op_attr(op, "backend_config"));
  *out = (call_texts){.count = 2 * (size_t)op->operand_count + 2, .config = {config.data, config.size}};
  out->texts = ten_alloc(out->count * sizeof *out->texts);
  out->operands = ten_alloc((op->operand_count + 1) * sizeof *out->operands);
  for (size_t i = 0; i < out->count; i++) out->texts[i] = (ten_buf){0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    ten_buf *shape = &out->texts[2 * i], *sharding = shape + 1;
    put_shape(shape, ten_op_operand(op, i)->type);
    plugin_put_sharding(sharding, &call->operands[i]);
    out->operands[i] = (value_view){view_of(shape), true, view_of(sharding)};
  }
  ten_buf *shape = &out->texts[out->count - 2], *sharding = shape + 1;
  put_results(shape, sharding, call);
  out->result = (value_view){view_of(shape), true, view_of(sharding)};
}

static void call_texts_free(call_texts *texts) {
  for (size_t i = 0; i < texts->count; i++) ten_buf_free(&texts->texts[i]);
  free(texts->texts);
  free(texts->operands);
}

static ten_status *head_error(const ten_partition_call *call, const call_head *head) {
  if (!head->has_error) return NULL;
  return ten_op_error(call->op, TEN_INTERNAL, "custom partitioning failed: %.*s", (int)head->error_msg.size,
                      head->error_msg.data ? head->error_msg.data : "");
}

static void end_call(call_head *head) {
  if (head->cleanup_fn) head->cleanup_fn(head->data);
}

/* An answer: 1 the sharding of the results, 2 of each operand, 3 the program. */
enum { ANSWER_RESULTS = 1, ANSWER_OPERAND = 2, ANSWER_PROGRAM = 3 };
/* All answers: 1 each of them in order, 2 a partitioned target. */
enum { ANSWERS_ANSWER = 1, ANSWERS_TARGET = 2 };

static void put_view(ten_buf *out, uint32_t number, text_view text) {
  ten_proto_put_bytes(out, number, (ten_str){text.data, text.size});
}

static ten_status *read_results(const ten_partition_call *call, ten_str sharding) {
  const ten_op *op = call->op;
  ten_proto_field field;
  uint32_t at = 0;
  ten_str rest = sharding;
  for (uint32_t i = 0; i < op->result_count; i++) {
    ten_str one = sharding;
    if (op->result_count != 1) {
      bool found = false;
      while (!found && ten_proto_next(&rest, &field)) found = field.number == 5 && field.wire == 2;
      if (!found)
        return ten_op_error(op, TEN_INVALID, "its partitioning gives shardings for %u of %u results", at,
                            op->result_count);
      one = field.bytes;
    }
    const uint32_t devices = call->results[i].devices;
    ten_tiling_free(&call->results[i]);
    TEN_TRY(plugin_tiling_of(one, op->results[i].type->rank, devices, &call->results[i]));
    at++;
  }
  return NULL;
}

/* The next stored answer. */
static ten_status *replay(plugin_partitioning *p, const ten_partition_call *call, ten_str *out) {
  ten_proto_field field;
  while (ten_proto_next(&p->given, &field))
    if (field.number == ANSWERS_ANSWER && field.wire == 2) return *out = field.bytes, NULL;
  return ten_op_error(call->op, TEN_INVALID, "the stored program lacks what its partitioning was");
}

static void note(plugin_partitioning *p, const ten_buf *answer) {
  ten_proto_put_bytes(p->answers, ANSWERS_ANSWER, (ten_str){answer->data, answer->size});
}

/* One of JAX's functions: asks it about a call, and adds to the answer what it says. */
typedef ten_status *(*ask_function)(const ten_partition_call *call, const call_texts *texts,
                                    partition_functions *functions, ten_buf *answer);

static ten_status *ask_infer(const ten_partition_call *call, const call_texts *texts, partition_functions *functions,
                             ten_buf *answer) {
  JAX_CustomCallPartitioner_InferShardingFromOperands_Args args = {.num_args = call->op->operand_count,
                                                                   .op_args = texts->operands,
                                                                   .result_shape = texts->result.shape,
                                                                   .backend_config = texts->config};
  functions->infer_sharding(functions, &args);
  ten_status *status = head_error(call, &args.header);
  if (!status && args.has_result_sharding) put_view(answer, ANSWER_RESULTS, args.result_sharding);
  end_call(&args.header);
  return status;
}

static ten_status *ask_propagate(const ten_partition_call *call, const call_texts *texts,
                                 partition_functions *functions, ten_buf *answer) {
  JAX_CustomCallPartitioner_PropagateUserSharding_Args args = {
      .backend_config = texts->config, .result_shape = texts->result.shape, .result_sharding = texts->result.sharding};
  functions->propagate_user_sharding(functions, &args);
  ten_status *status = head_error(call, &args.header);
  if (!status) put_view(answer, ANSWER_RESULTS, args.result_sharding);
  end_call(&args.header);
  return status;
}

static ten_status *ask_partition(const ten_partition_call *call, const call_texts *texts,
                                 partition_functions *functions, ten_buf *answer) {
  JAX_CustomCallPartitioner_Partition_Args args = {.num_args = call->op->operand_count,
                                                   .op_args = texts->operands,
                                                   .op_result = texts->result,
                                                   .backend_config = texts->config};
  functions->partition(functions, &args);
  ten_status *status = head_error(call, &args.header);
  if (!status) {
    put_view(answer, ANSWER_RESULTS, args.result_sharding);
    for (size_t i = 0; i < args.num_args; i++) put_view(answer, ANSWER_OPERAND, args.args_sharding[i]);
    put_view(answer, ANSWER_PROGRAM, args.mlir_module);
  }
  end_call(&args.header);
  return status;
}

static ten_status *ask(ask_function function, const ten_partition_call *call, ten_buf *answer) {
  call_texts texts;
  describe_call(call, &texts);
  const ten_str target = ten_attr_as_string(ten_op_attr(call->op, "call_target_name"));
  ten_status *status = function(call, &texts, find_functions(target), answer);
  call_texts_free(&texts);
  return status;
}

/* Calls the function, or replays; `answer` is borrowed from `made` or from the stored answers. */
static ten_status *get_answer(plugin_partitioning *p, const ten_partition_call *call, ask_function function,
                              ten_buf *made, ten_str *answer) {
  *answer = (ten_str){0};
  if (p->replays) {
    TEN_TRY(replay(p, call, answer));
    ten_buf_addstr(made, *answer);
  } else {
    TEN_TRY(ask(function, call, made));
  }
  note(p, made);
  *answer = (ten_str){made->data, made->size};
  return NULL;
}

static ten_status *get_results(plugin_partitioning *p, const ten_partition_call *call, ask_function function) {
  ten_buf made = {0};
  ten_str answer;
  ten_status *status = get_answer(p, call, function, &made, &answer);
  const ten_str sharding = ten_proto_bytes(answer, ANSWER_RESULTS);
  if (!status && sharding.data) status = read_results(call, sharding);
  ten_buf_free(&made);
  return status;
}

static ten_status *infer(void *context, ten_partition_call *call) { return get_results(context, call, ask_infer); }

static ten_status *propagate(void *context, ten_partition_call *call) {
  return get_results(context, call, ask_propagate);
}

static ten_status *read_program(ten_str code, ten_module **out) {
  if (ten_bytecode_is(code.data, code.size))
    TEN_TRY(ten_bytecode_read(code.data, code.size, "partitioning", false, out));
  else
    TEN_TRY(ten_text_parse(code.data, code.size, "partitioning", out));
  return ten_verify(*out);
}

static ten_status *read_operands(const ten_partition_call *call, ten_str answer) {
  const ten_op *op = call->op;
  ten_proto_field field;
  uint32_t at = 0;
  while (ten_proto_next(&answer, &field)) {
    if (field.number != ANSWER_OPERAND || field.wire != 2 || at == op->operand_count) continue;
    const uint32_t devices = call->operands[at].devices;
    ten_tiling_free(&call->operands[at]);
    TEN_TRY(plugin_tiling_of(field.bytes, ten_op_operand(op, at)->type->rank, devices, &call->operands[at]));
    at++;
  }
  if (at == op->operand_count) return NULL;
  return ten_op_error(op, TEN_INVALID, "its partitioning gives shardings for %u of %u operands", at, op->operand_count);
}

static ten_status *partition(void *context, ten_partition_call *call, ten_module **out) {
  *out = NULL;
  ten_buf made = {0};
  ten_str answer;
  ten_status *status = get_answer(context, call, ask_partition, &made, &answer);
  if (!status) status = read_results(call, ten_proto_bytes(answer, ANSWER_RESULTS));
  if (!status) status = read_operands(call, answer);
  if (!status) status = read_program(ten_proto_bytes(answer, ANSWER_PROGRAM), out);
  if (status) {
    ten_module_destroy(*out);
    *out = NULL;
  }
  ten_buf_free(&made);
  return status;
}

static bool names(ten_str answers, ten_str target) {
  ten_proto_field field;
  while (ten_proto_next(&answers, &field))
    if (field.number == ANSWERS_TARGET && field.wire == 2 && ten_str_eq(field.bytes, target)) return true;
  return false;
}

static bool knows(void *context, ten_str target) {
  plugin_partitioning *p = context;
  if (p->replays ? !names(p->targets, target) : !find_functions(target)) return false;
  if (!names((ten_str){p->answers->data, p->answers->size}, target))
    ten_proto_put_bytes(p->answers, ANSWERS_TARGET, target);
  return true;
}

void plugin_partitioning_start(ten_buf *answers, ten_str given, plugin_partitioning *out) {
  *out = (plugin_partitioning){
      .base = {.context = out, .knows = knows, .infer = infer, .propagate = propagate, .partition = partition},
      .answers = answers,
      .given = given,
      .targets = given,
      .replays = given.size > 0};
}
