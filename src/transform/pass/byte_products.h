/* byte_products.h: operands of matmuls and convolutions that are 8-bit integers, read as wider ones. */
#ifndef TEN_PASS_BYTE_PRODUCTS_H
#define TEN_PASS_BYTE_PRODUCTS_H

#include "ir/module.h"

/* The value is source - zero, in 32 bits. */
typedef struct ten_byte_operand {
  ten_value *source; /* i8 or ui8, of the same shape */
  int64_t zero;
} ten_byte_operand;

bool ten_byte_operand_of(ten_value *value, ten_byte_operand *out);
/* Whether the op sums, in 32 bits, products of such an operand with i8 weights. */
bool ten_is_byte_product(const ten_op *op);

#endif
