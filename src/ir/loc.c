/* loc.c: source locations, and errors that name them. */
#include "ir/module.h"

const ten_loc *ten_loc_file(ten_module *module, ten_str path, uint32_t line, uint32_t column) {
  ten_loc *loc = ten_arena_new(&module->arena, ten_loc);
  loc->kind = TEN_LOC_FILE;
  loc->name = (ten_str){ten_arena_strdup(&module->arena, path.data, path.size), path.size};
  loc->line = line;
  loc->column = column;
  return loc;
}

const ten_loc *ten_loc_named(ten_module *module, ten_str name, const ten_loc *child) {
  ten_loc *loc = ten_arena_new(&module->arena, ten_loc);
  loc->kind = TEN_LOC_NAME;
  loc->name = (ten_str){ten_arena_strdup(&module->arena, name.data, name.size), name.size};
  loc->first = child;
  return loc;
}

const ten_loc *ten_loc_import(ten_module *module, const ten_loc *loc) {
  if (!loc) return NULL;
  ten_loc *copy = ten_arena_copy(&module->arena, loc, sizeof *loc);
  copy->name.data = ten_arena_strdup(&module->arena, loc->name.data, loc->name.size);
  copy->first = ten_loc_import(module, loc->first);
  copy->second = ten_loc_import(module, loc->second);
  copy->metadata = ten_attr_import(module, loc->metadata, false);
  const ten_loc **parts = ten_arena_new_array(&module->arena, const ten_loc *, loc->part_count);
  for (size_t i = 0; i < loc->part_count; i++) parts[i] = ten_loc_import(module, loc->parts[i]);
  copy->parts = parts;
  return copy;
}

bool ten_loc_equal(const ten_loc *a, const ten_loc *b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind || !ten_str_eq(a->name, b->name) || a->line != b->line || a->column != b->column ||
      a->end_line != b->end_line || a->end_column != b->end_column || a->part_count != b->part_count)
    return false;
  for (size_t i = 0; i < a->part_count; i++)
    if (!ten_loc_equal(a->parts[i], b->parts[i])) return false;
  if (!a->metadata != !b->metadata || (a->metadata && !ten_attr_equal(a->metadata, b->metadata))) return false;
  return ten_loc_equal(a->first, b->first) && ten_loc_equal(a->second, b->second);
}

const ten_loc *ten_loc_first_file(const ten_loc *loc) {
  if (!loc) return NULL;
  if (loc->kind == TEN_LOC_FILE) return loc;
  const ten_loc *found = ten_loc_first_file(loc->first);
  for (size_t i = 0; !found && i < loc->part_count; i++) found = ten_loc_first_file(loc->parts[i]);
  return found ? found : ten_loc_first_file(loc->second);
}

ten_str ten_loc_name(const ten_loc *loc) {
  if (!loc) return (ten_str){0};
  if (loc->kind == TEN_LOC_NAME) return loc->name;
  ten_str found = ten_loc_name(loc->first);
  for (size_t i = 0; !found.size && i < loc->part_count; i++) found = ten_loc_name(loc->parts[i]);
  return found.size ? found : ten_loc_name(loc->second);
}

ten_status *ten_op_locate(const ten_op *op, ten_status *status) {
  const ten_loc *place = ten_loc_first_file(op->loc);
  if (!place) return status;
  ten_buf file = {0};
  ten_buf_addstr(&file, place->name);
  status = ten_error_at(status, file.data ? file.data : "", place->line, place->column);
  ten_buf_free(&file);
  return status;
}

ten_status *ten_op_error(const ten_op *op, ten_code code, const char *format, ...) {
  ten_buf message = {0};
  ten_buf_printf(&message, "%.*s: ", TEN_FMT(op->name));
  va_list args;
  va_start(args, format);
  ten_buf_vprintf(&message, format, args);
  va_end(args);
  ten_status *status = ten_error(code, "%s", message.data);
  ten_buf_free(&message);
  return ten_op_locate(op, status);
}
