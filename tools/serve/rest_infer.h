/* rest_infer.h: parses and answers a request of REST (call.h). */
#ifndef TEN_SERVE_REST_INFER_H
#define TEN_SERVE_REST_INFER_H

#include "serve/call.h"

TEN_MUST_USE ten_status *serve_rest_read(serve_call *call);
TEN_MUST_USE ten_status *serve_rest_pack(serve_call *call);
extern const serve_protocol serve_rest_protocol;

#endif
