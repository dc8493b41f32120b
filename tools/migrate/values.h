/* values.h: the kinds that an expression may have, as a set (flow-insensitive, so a name that is bound twice may have
 * two). The empty set is "unknown", never "nothing". */
#ifndef TEN_MIGRATE_VALUES_H
#define TEN_MIGRATE_VALUES_H

#include "migrate/names.h"

enum {
  V_DEVICE = 1 << 0,    /* names an accelerator: torch.device, or text with V_TEXT */
  V_CPU = 1 << 1,       /* names the CPU, in the same way */
  V_AVAILABLE = 1 << 2, /* true exactly when an accelerator is available */
  V_RANK = 1 << 3,      /* an integer that selects a device: rank, gpu, torch.cuda.current_device() */
  V_TENSOR = 1 << 4,
  V_MODULE = 1 << 5,
  V_OPTIMIZER = 1 << 6,
  V_SCHEDULER = 1 << 7,
  V_LOADER = 1 << 8,
  V_SCALER = 1 << 9,
  V_TENSOR_TYPE = 1 << 10, /* torch.cuda.FloatTensor and other tensor types */
  V_TEXT = 1 << 11,
  V_NUMBER = 1 << 12,
  V_MODULE_CLASS = 1 << 13,
  V_EVENT = 1 << 14, /* torch.cuda.Event, Stream */
  V_STATE = 1 << 15, /* a state_dict, or a dictionary that holds one */
  V_HOST = 1 << 16,  /* numpy and other host data */
  V_COUNT_OF_DEVICES = 1 << 17
};

uint32_t ten_py_value_of(ten_py_file *file, ten_py_node *node);
uint32_t ten_py_value_of_name(ten_py_file *file, ten_py_name *name);
/* The call's callee is an nn.Module class or returns one. */
bool ten_is_module_class(ten_py_file *file, ten_py_node *class_definition, int depth);
/* The dtype of a tensor type that torch.cuda has, by its full name: torch.cuda.FloatTensor → float32; NULL for others.
 */
const char *ten_cuda_tensor_dtype(const char *dotted);
/* "cuda", "cuda:0", "gpu"… */
bool ten_is_device_text(ten_str text);
/* The string, whatever its form (f-string, %, format, +), starts with "cuda:" or is "cuda". */
bool ten_is_device_string(const ten_py_file *file, const ten_py_node *node);

#endif
