/* isolate_wire.h: the protocol between the server and a client's process: a head, a packed message of
 * proto/device.proto, and the bytes of an array if one is transferred. Both ends are the same program. */
#ifndef TEN_SERVE_ISOLATE_WIRE_H
#define TEN_SERVE_ISOLATE_WIRE_H

#include <stdint.h>

enum { ISOLATE_FD = 3 };

typedef struct isolate_head {
  uint32_t kind;            /* serve_op_kind, of a question */
  uint32_t code;            /* of an answer: a ten_code, with a text instead of a message; 0: it succeeded */
  uint64_t size, data_size; /* bytes of the message, and of the array */
  uint64_t room;            /* of a question: bytes that arrays may take */
  uint64_t bytes;           /* of an answer: bytes that they take */
} isolate_head;

#endif
