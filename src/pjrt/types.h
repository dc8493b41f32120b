/* types.h: the element types of PJRT and ours. */
#ifndef TEN_PJRT_TYPES_H
#define TEN_PJRT_TYPES_H

#include "pjrt/abi.h"
#include "tenfold/dtype.h"

PJRT_Buffer_Type pjrt_type_of(ten_dtype dtype); /* INVALID: PJRT has none */
ten_dtype pjrt_dtype_of(PJRT_Buffer_Type type); /* NONE: we have none */

#endif
