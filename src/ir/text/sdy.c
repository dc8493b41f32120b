/* sdy.c: placeholder */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
bool ten_parse_sdy_op(ten_parser *p, ten_op_state *state, bool *known) { (void)p; (void)state; *known = false; return true; }
bool ten_print_sdy_op(ten_printer *printer, const ten_op *op) { (void)printer; (void)op; return false; }
