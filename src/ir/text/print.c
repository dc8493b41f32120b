/* print.c: a whole module, its location aliases and its resources. */
#include "ir/text/printer.h"

static int by_key(const void *a, const void *b) {
  return ten_str_compare((*(const ten_attr *const *)a)->dense.resource, (*(const ten_attr *const *)b)->dense.resource);
}

/* {-# dialect_resources: {builtin: {key: "0x…"}} #-}, each key once */
static void print_resources(ten_printer *printer) {
  static const char begin[] = "\n{-#\n  dialect_resources: {\n    builtin: {\n", end[] = "\n    }\n  }\n#-}\n";
  ten_buf *out = printer->out;
  if (printer->resources.count)
    qsort(printer->resources.data, printer->resources.count, sizeof *printer->resources.data, by_key);
  for (size_t i = 0; i < printer->resources.count; i++) {
    const ten_attr *attr = printer->resources.data[i];
    if (i && ten_str_eq(printer->resources.data[i - 1]->dense.resource, attr->dense.resource)) continue;
    ten_buf_adds(out, i ? ",\n      " : begin);
    if (!i) ten_buf_adds(out, "      ");
    ten_print_name(out, attr->dense.resource);
    /* alignment first, four bytes, the low one in front */
    ten_buf_printf(out, ": \"0x%02X000000", (unsigned)ten_dtype_bytes(ten_dtype_part(attr->dense.type->dtype)));
    ten_print_hex(out, attr->dense.type->dtype, attr->dense.data, attr->dense.size);
    ten_buf_addc(out, '"');
  }
  if (printer->resources.count) ten_buf_adds(out, end);
}

static void printer_free(ten_printer *printer) {
  ten_vec_free(&printer->names);
  ten_vec_free(&printer->resources);
  ten_print_locs_free(printer);
}

void ten_text_print(ten_buf *out, const ten_module *module, const ten_print_options *options) {
  ten_printer printer = {.out = out, .dialect = TEN_STR("builtin.")};
  if (options) printer.options = *options;
  ten_print_names_number(&printer, module->op);
  if (printer.options.locations) ten_print_locs_collect(&printer, module->op);
  ten_print_op(&printer, module->op);
  ten_buf_addc(out, '\n');
  ten_print_loc_aliases(&printer);
  print_resources(&printer);
  printer_free(&printer);
}

void ten_text_print_op(ten_buf *out, const ten_op *op, const ten_print_options *options) {
  ten_printer printer = {.out = out};
  if (options) printer.options = *options;
  ten_print_names_number(&printer, op);
  ten_print_op(&printer, op);
  printer_free(&printer);
}
