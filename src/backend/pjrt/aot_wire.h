/* aot_wire.h: messages between `tenfold-aot` and the process that started it: eight bytes of size and a protocol
 * buffer. */
#ifndef TEN_PJRT_AOT_WIRE_H
#define TEN_PJRT_AOT_WIRE_H

#include "backend/pjrt/aot.h"

enum { WIRE_PLUGIN = 1, WIRE_TOPOLOGY, WIRE_TOPOLOGY_OPTIONS, WIRE_PROGRAM, WIRE_OPTIONS }; /* a request */
enum {                                                                                      /* an answer */
       WIRE_CODE = 1,
       WIRE_MESSAGE,
       WIRE_STABLEHLO, /* "1.2.3" */
       WIRE_EXECUTABLE,
       WIRE_SCHEDULED,
       WIRE_FORMAT,
       WIRE_PLATFORM,
       WIRE_DEVICE,
       WIRE_DEVICE_COUNT,
       WIRE_SECONDS,
       WIRE_COST, /* 1 the name, 2 the value */
       WIRE_MEMORY = 20
};

/* False at the end of the stream or on an I/O error. */
bool wire_send(int file, const ten_buf *message);
bool wire_receive(int file, ten_buf *out_message);

void wire_put_status(ten_buf *out, const ten_status *status); /* NULL: writes nothing */
TEN_MUST_USE ten_status *wire_status(ten_str message);        /* NULL: the answer is not an error */
void wire_put_result(ten_buf *out, const ten_aot_result *result);
void wire_result(ten_str message, ten_aot_result *out_result);

/* aot_compile.c: compiles in this process. */
typedef struct pjrt_plugin pjrt_plugin;
void aot_set_up(const char *plugin);
TEN_MUST_USE ten_status *aot_compile_here(const pjrt_plugin *plugin, const char *topology, ten_str topology_options,
                                          ten_str program, ten_str options, ten_aot_result *out_result);

#endif
