/* plugin_callback.c: calls from a program into the process that loaded the plugin (jax.debug.print, pure_callback,
 * io_callback). The program contains `custom_call @tenfold.callback(id, operands…)`; the Python package that lowered it
 * registers two functions here: one that makes call `id`, one that counts the programs that may still make it.
 * Keeps: a call without a registered function is an error, as is one whose function fails. */
#include <stdlib.h>

#include "base/thread.h"
#include "ir/ten.h"
#include "plugin/plugin.h"
#include "tenfold/custom.h"

enum { CALLBACK_MESSAGE = 1 << 14 };

static ten_mutex mutex = TEN_MUTEX_INIT;
static plugin_callback_call call_function; /* guarded by mutex */
static plugin_callback_hold hold_function; /* guarded by mutex */

static ten_status *callback_kernel(const ten_buffer *inputs, size_t input_count, const ten_buffer *outputs,
                                   size_t output_count, void *user) {
  (void)user;
  if (!input_count || inputs[0].dtype != TEN_I64 || inputs[0].rank)
    return ten_error(TEN_INVALID, "@tenfold.callback: the first operand must be the callback's number, a tensor<i64>");
  const int64_t id = *(const int64_t *)inputs[0].data;
  ten_mutex_lock(&mutex);
  const plugin_callback_call call = call_function;
  ten_mutex_unlock(&mutex);
  if (!call)
    return ten_error(TEN_UNSUPPORTED,
                     "@tenfold.callback: no Python to call back into; the package jax-tenfold registers itself");
  char *message = ten_alloc(CALLBACK_MESSAGE);
  *message = 0;
  ten_status *status = NULL;
  if (call(id, inputs + 1, input_count - 1, outputs, output_count, message, CALLBACK_MESSAGE))
    status = ten_error(TEN_INTERNAL, "%s", *message ? message : "the callback failed and does not say why");
  free(message);
  return status;
}

/* The package calls this once, when JAX loads it, and with NULLs before Python ends. */
TEN_API int TenfoldSetCallbacks(plugin_callback_call call, plugin_callback_hold hold);
int TenfoldSetCallbacks(plugin_callback_call call, plugin_callback_hold hold) {
  ten_mutex_lock(&mutex);
  call_function = call;
  hold_function = hold;
  ten_mutex_unlock(&mutex);
  ten_status *status = call ? ten_register_kernel(ten_name_text(TEN_NAME_CALLBACK), callback_kernel, NULL) : NULL;
  const int failed = status != NULL;
  ten_status_free(status);
  return failed;
}

typedef struct id_list {
  TEN_VEC(int64_t) ids;
} id_list;

static ten_status *find_callback(ten_op *op, void *context) {
  id_list *list = context;
  if (!op->operand_count || !ten_op_calls(op, TEN_NAME_CALLBACK)) return NULL;
  const ten_attr *id = ten_value_constant(ten_op_operand(op, 0));
  if (id && id->kind == TEN_ATTR_DENSE && id->dense.type->dtype == TEN_I64)
    ten_vec_push(&list->ids, ten_dense_int(id, 0));
  return NULL;
}

static void hold_all(const plugin_program *p, int change) {
  ten_mutex_lock(&mutex);
  const plugin_callback_hold hold = hold_function;
  ten_mutex_unlock(&mutex);
  for (size_t i = 0; hold && i < p->callback_count; i++) hold(p->callbacks[i], change);
}

void plugin_callbacks_hold(plugin_program *p) {
  id_list list = {0};
  ten_status_free(ten_op_walk(p->module->op, find_callback, &list)); /* the walk does not fail */
  p->callback_count = list.ids.count;
  p->callbacks = list.ids.data;
  hold_all(p, 1);
}

void plugin_callbacks_release(plugin_program *p) {
  hold_all(p, -1);
  free(p->callbacks);
  p->callbacks = NULL;
  p->callback_count = 0;
}
