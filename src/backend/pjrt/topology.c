/* topology.c: TPU generations and their names. Memory, rates and slice sizes are from Google's tables
 * (cloud.google.com/tpu/docs/system-architecture). */
#include "backend/pjrt/topology.h"

#include <stdio.h>
#include <stdlib.h>

#define GIB (INT64_C(1) << 30)

const ten_tpu_chip ten_tpu_chips[] = {
    {"v2", {0}, 2, 2, 2, 8 * GIB, 46e12, 700e9, 256},
    {"v3", {0}, 2, 2, 2, 16 * GIB, 123e12, 900e9, 1024},
    {"v4", {0}, 3, 1, 2, 32 * GIB, 275e12, 1228e9, 4096},
    {"v5e", {"v5litepod", "v5lite"}, 2, 1, 1, 16 * GIB, 197e12, 819e9, 256},
    {"v5p", {"v5"}, 3, 1, 2, 95 * GIB, 459e12, 2765e9, 8960},
    {"v6e", {"v6"}, 2, 1, 1, 32 * GIB, 918e12, 1640e9, 256, true},
    {"tpu7x", {"v7x", "7x", "ironwood"}, 3, 2, 2, 96 * GIB, 2307e12, 7380e9, 9216, true},
    {0},
};

static const ten_tpu_chip *chip_find(ten_str name) {
  for (const ten_tpu_chip *chip = ten_tpu_chips; chip->name; chip++) {
    if (ten_str_is(name, chip->name)) return chip;
    for (size_t i = 0; i < 3 && chip->other[i]; i++)
      if (ten_str_is(name, chip->other[i])) return chip;
  }
  return NULL;
}

/* "2x4", "2x2x1": as many numbers as the interconnect has dimensions. */
static ten_status *read_shape(const char *text, const char *all, ten_tpu_topology *t) {
  unsigned count = 0;
  const char *at = text;
  for (; count < 3; at++) {
    char *end;
    const unsigned long number = strtoul(at, &end, 10);
    if (end == at || !number || number > t->chip->most) break;
    t->shape[count++] = (unsigned)number;
    at = end;
    if (*at != 'x') break;
  }
  if (*at || count != t->chip->dimensions)
    return ten_error(TEN_INVALID, "'%s': the chips of %s lie in %u dimensions: %s:%s", all, t->chip->name,
                     t->chip->dimensions, t->chip->name, t->chip->dimensions == 2 ? "2x2, 4x4, …" : "2x2x1, 4x4x4, …");
  return NULL;
}

/* The shape of a slice of so many chips, as slices are sold: 2x2, 2x4, 4x4; 2x2x1 (one host), 2x2x2, 2x2x4, 2x4x4. */
static ten_status *spread_chips(unsigned long chips, const char *all, ten_tpu_topology *t) {
  const unsigned dimensions = t->chip->dimensions;
  unsigned long rest = chips;
  for (; rest > 1 && rest % 2 == 0; rest /= 2) {
    unsigned side = 0; /* the shortest; of equals the last, but within a host the first */
    for (unsigned i = 1; i < dimensions; i++)
      if (t->shape[i] < t->shape[side] || (t->shape[i] == t->shape[side] && !(dimensions == 3 && t->shape[i] == 1)))
        side = i;
    t->shape[side] *= 2;
  }
  if (rest != 1 || chips > t->chip->most)
    return ten_error(TEN_INVALID, "'%s': a slice has 1, 2, 4, 8, … chips, at most %u; name its shape otherwise (%s:%s)",
                     all, t->chip->most, t->chip->name, dimensions == 2 ? "4x4" : "4x4x4");
  return NULL;
}

static ten_status *unknown(const char *text) {
  ten_buf names = {0};
  for (const ten_tpu_chip *chip = ten_tpu_chips; chip->name; chip++)
    ten_buf_printf(&names, "%s%s", names.size ? ", " : "", chip->name);
  ten_status *status = ten_error(
      TEN_NOT_FOUND,
      "no TPU '%s'; there are %s, each with a shape (v5e:2x2, v4:2x2x1) or as an accelerator type (v5litepod-4, v4-8)",
      text, names.data);
  ten_buf_free(&names);
  return status;
}

ten_status *ten_tpu_parse(const char *text, ten_tpu_topology *out_topology) {
  *out_topology = (ten_tpu_topology){.shape = {1, 1, 1}};
  const char *name = text;
  if (!strncmp(name, "tpu:", 4)) name += 4;
  const size_t size = strcspn(name, ":-");
  out_topology->chip = chip_find((ten_str){name, size});
  if (!out_topology->chip) return unknown(text);
  const ten_tpu_chip *chip = out_topology->chip;
  const char *rest = name + size;
  if (*rest == ':') {
    TEN_TRY(read_shape(rest + 1, text, out_topology));
  } else if (*rest == '-') {
    char *end;
    const unsigned long number = strtoul(rest + 1, &end, 10);
    if (end == rest + 1 || *end || !number || number % chip->counted) return unknown(text);
    TEN_TRY(spread_chips(number / chip->counted, text, out_topology));
  } else { /* the smallest machine on offer */
    TEN_TRY(spread_chips(chip->dimensions == 3 || chip->devices == 2 ? 4 : 1, text, out_topology));
  }
  if (ten_tpu_chip_count(out_topology) > chip->most)
    return ten_error(TEN_INVALID, "'%s': a slice of %s has at most %u chips", text, chip->name, chip->most);
  const unsigned *shape = out_topology->shape;
  if (chip->dimensions == 2)
    snprintf(out_topology->name, sizeof out_topology->name, "%s:%ux%u", chip->name, shape[0], shape[1]);
  else
    snprintf(out_topology->name, sizeof out_topology->name, "%s:%ux%ux%u", chip->name, shape[0], shape[1], shape[2]);
  return NULL;
}
