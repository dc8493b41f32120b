/* in_place.c: whether a result may lie in the memory of an input that it updates: no kernel reads the input after the
 * one that writes the result, and that one reads in each thread only the element that it writes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backend/simt/program.h"

static bool has(const uint32_t *numbers, uint32_t count, uint32_t number) {
  for (uint32_t i = 0; i < count; i++)
    if (numbers[i] == number) return true;
  return false;
}

/* Whether each mention of a parameter in the text is the thread's own element: v1, or 0 where there is only one. */
static bool is_own_element(const char *text, const char *end, char letter, uint32_t parameter, bool single) {
  char name[16];
  const int length = snprintf(name, sizeof name, "%c%u", letter, parameter);
  bool found = false;
  for (const char *at = text; (at = strstr(at, name)) && at < end; at += length) {
    const char before = at[-1], after = at[length];
    if (isalnum((unsigned char)before) || before == '_' || isdigit((unsigned char)after)) continue;
    if (strncmp(at + length, "[v1]", 4) != 0 && !(single && !strncmp(at + length, "[(0)]", 5))) return false;
    found = true;
  }
  return found;
}

/* The step's kernel reads `input` and writes `output`, once each, at the number of the thread. */
static bool is_aligned(const simt_plan *plan, const simt_step *step, uint32_t input, uint32_t output) {
  static const char loop[] = "  for (i64 i = THREAD; i < n; i += THREADS) {\n", own[] = " v1 = i;\n";
  uint32_t reads = 0, read = 0, write = 0;
  for (uint32_t i = 0; i < step->read_count; i++)
    if (step->reads[i] == input) read = i, reads++;
  for (uint32_t i = 0; i < step->write_count; i++)
    if (step->writes[i] == output) write = i;
  if (step->grouped || reads != 1) return false;
  const char *text = plan->source.data + plan->starts.data[step->kernel];
  const char *body = strstr(text, loop), *first = body ? strstr(body, own) : NULL;
  const char *end = body ? strstr(body, "\n}\n") : NULL;
  if (!first || !end || first > end || first > strchr(body + strlen(loop), '\n')) return false;
  const bool single = step->count == 1;
  return is_own_element(body, end, 'p', read, single) && is_own_element(body, end, 'q', write, single);
}

/* The same of a step that may be merged of several: no other part reads the input. */
static bool is_apart(const simt_plan *plan, const simt_step *step, uint32_t input, uint32_t output) {
  if (!step->part_count) return is_aligned(plan, step, input, output);
  for (uint32_t i = 0; i < step->part_count; i++) {
    const simt_step *part = &step->parts[i];
    if (!has(part->reads, part->read_count, input)) continue;
    if (!has(part->writes, part->write_count, output) || !is_aligned(plan, part, input, output)) return false;
  }
  return true;
}

bool simt_in_place(const ten_executable *executable, uint32_t input, uint32_t output) {
  const simt_plan *plan = &((const simt_program *)executable)->plan;
  const ten_block *block = ten_op_body(plan->func, 0);
  const ten_op *end = ten_block_terminator(block);
  if (input >= block->arg_count || output >= end->operand_count) return false;
  const ten_value *from = block->args[input], *to = ten_op_operand(end, output);
  if (!ten_type_equal(from->type, to->type) || !to->op) return false;
  for (uint32_t i = 0; i < end->operand_count; i++)
    if (ten_op_operand(end, i) == from || (i != output && ten_op_operand(end, i) == to)) return false;
  bool written = false;
  for (size_t i = 0; i < plan->body.steps.count; i++) {
    const simt_step *step = &plan->body.steps.data[i];
    if (step->kind != SIMT_KERNEL || step->hoisted) return false; /* others may read more than they say */
    const bool reads = has(step->reads, step->read_count, from->number);
    if (written && reads) return false;
    if (!has(step->writes, step->write_count, to->number)) continue;
    if (reads && !is_apart(plan, step, from->number, to->number)) return false;
    written = true;
  }
  return written;
}
