/* tiling.c: parses shardings. Both dialects store theirs as text in the IR; here they become, for each device, its tile
 * along each dimension. */
#include "transform/shard/tiling.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 32, MESH_MAX = 1 << 20 };

typedef struct axis {
  ten_str name;
  int64_t size;
} axis;

typedef struct mesh {
  axis axes[AXES_MAX];
  size_t count;
  int64_t total;
  ten_str ids; /* "1, 0, …", empty when devices are in order */
} mesh;

void ten_tiling_whole(uint32_t rank, uint32_t devices, ten_tiling *out) {
  *out = (ten_tiling){.rank = rank, .devices = devices, .parts = 1};
  for (uint32_t i = 0; i < rank; i++) out->tiles[i] = 1;
  out->place = ten_alloc(((size_t)rank * devices + 1) * sizeof *out->place);
  memset(out->place, 0, ((size_t)rank * devices + 1) * sizeof *out->place);
}

void ten_tiling_copy(const ten_tiling *from, ten_tiling *out) {
  ten_tiling_whole(from->rank, from->devices, out);
  memcpy(out->tiles, from->tiles, sizeof out->tiles);
  memcpy(out->place, from->place, (size_t)from->rank * from->devices * sizeof *out->place);
  if (from->parts == 1) return;
  out->parts = from->parts;
  out->part = ten_alloc(from->devices * sizeof *out->part);
  memcpy(out->part, from->part, from->devices * sizeof *out->part);
}

void ten_tiling_free(ten_tiling *tiling) {
  free(tiling->place);
  tiling->place = NULL;
  ten_tiling_drop_parts(tiling);
}

void ten_tiling_drop_parts(ten_tiling *tiling) {
  free(tiling->part);
  tiling->part = NULL;
  tiling->parts = 1;
}

bool ten_tiling_is_whole(const ten_tiling *tiling) {
  for (uint32_t i = 0; i < tiling->rank; i++)
    if (tiling->tiles[i] > 1) return false;
  return true;
}

bool ten_tiling_equal(const ten_tiling *a, const ten_tiling *b) {
  return a->rank == b->rank && a->devices == b->devices && !memcmp(a->tiles, b->tiles, a->rank * sizeof *a->tiles) &&
         !memcmp(a->place, b->place, (size_t)a->rank * a->devices * sizeof *a->place) && a->parts == b->parts &&
         (a->parts == 1 || !memcmp(a->part, b->part, a->devices * sizeof *a->part));
}

bool ten_tiling_local(const ten_tiling *tiling, const int64_t *dims, int64_t *out_dims) {
  for (uint32_t i = 0; i < tiling->rank; i++) {
    if (dims[i] % tiling->tiles[i]) return false;
    out_dims[i] = dims[i] / tiling->tiles[i];
  }
  return true;
}

uint32_t ten_tiling_holder(const ten_tiling *tiling, const uint32_t *place) {
  for (uint32_t d = 0; d < tiling->devices; d++)
    if (!memcmp(tiling->place + (size_t)d * tiling->rank, place, tiling->rank * sizeof *place)) return d;
  return 0;
}

/* A small lexer of such texts: everything skips white space first. */
static void skip(ten_str *s) {
  while (s->size && (*s->data == ' ' || *s->data == '\n')) s->data++, s->size--;
}
static bool accept(ten_str *s, const char *word) {
  skip(s);
  const size_t n = strlen(word);
  if (s->size < n || memcmp(s->data, word, n) != 0) return false;
  s->data += n;
  s->size -= n;
  return true;
}
static bool number(ten_str *s, int64_t *out) {
  skip(s);
  if (!s->size || *s->data < '0' || *s->data > '9') return false;
  int64_t value = 0;
  for (; s->size && *s->data >= '0' && *s->data <= '9' && value < (int64_t)1 << 40; s->data++, s->size--)
    value = value * 10 + (*s->data - '0');
  *out = value;
  return true;
}
static bool quoted(ten_str *s, ten_str *out) {
  if (!accept(s, "\"")) return false;
  const char *end = s->size ? memchr(s->data, '"', s->size) : NULL;
  if (!end) return false;
  *out = (ten_str){s->data, (size_t)(end - s->data)};
  s->size -= out->size + 1;
  s->data = end + 1;
  return true;
}
/* The text up to the matching closing bracket. */
static bool balanced(ten_str *s, char open, char close, ten_str *out) {
  skip(s);
  if (!s->size || *s->data != open) return false;
  size_t depth = 0;
  for (size_t i = 0; i < s->size; i++) {
    if (s->data[i] == '-' && i + 1 < s->size && s->data[i + 1] == '>') continue;
    if (s->data[i] == open) depth++;
    if (s->data[i] == close && --depth == 0) {
      *out = (ten_str){s->data + 1, i - 1};
      s->data += i + 1;
      s->size -= i + 1;
      return true;
    }
  }
  return false;
}

/* ["x"=2, "y"=4], device_ids=[…] */
static ten_status *read_mesh(ten_str text, mesh *out) {
  *out = (mesh){.total = 1};
  ten_str inside, axes, rest = text, ids;
  accept(&rest, "#sdy.mesh");
  if (!balanced(&rest, '<', '>', &inside) || !balanced(&inside, '[', ']', &axes))
    return ten_error(TEN_INVALID, "'%.*s' is not a mesh", TEN_FMT(text));
  for (axis a; quoted(&axes, &a.name); accept(&axes, ",")) {
    if (!accept(&axes, "=") || !number(&axes, &a.size) || a.size < 1 || out->count == AXES_MAX)
      return ten_error(TEN_INVALID, "'%.*s' is not a mesh", TEN_FMT(text));
    if (a.size > MESH_MAX / out->total) return ten_error(TEN_LIMIT, "the mesh '%.*s' is too big", TEN_FMT(text));
    out->axes[out->count++] = a;
    out->total *= a.size;
  }
  if (accept(&inside, ",") && accept(&inside, "device_ids=") && balanced(&inside, '[', ']', &ids)) out->ids = ids;
  return NULL;
}

static ten_status *find_mesh(const ten_module *module, ten_str *text, mesh *out) {
  if (!accept(text, "@")) {
    ten_str inside, whole;
    if (!accept(text, "mesh")) return ten_error(TEN_INVALID, "a sharding names no mesh");
    whole = *text;
    if (!balanced(text, '<', '>', &inside)) return ten_error(TEN_INVALID, "a sharding's mesh does not end");
    return read_mesh((ten_str){whole.data, (size_t)(text->data - whole.data)}, out);
  }
  ten_str name = {text->data, 0};
  if (quoted(text, &name)) {
  } else {
    while (text->size && *text->data != ',' && *text->data != '>' && *text->data != ' ')
      text->data++, text->size--, name.size++;
  }
  const ten_op *op = ten_module_find(module, name);
  const ten_attr *attr = op ? ten_op_attr(op, "mesh") : NULL;
  if (!attr || attr->kind != TEN_ATTR_OPAQUE)
    return ten_error(TEN_INVALID, "a sharding names the mesh @%.*s, and there is none", TEN_FMT(name));
  return read_mesh(attr->string, out);
}

/* The contribution of one axis to the split of a dimension. */
typedef struct part {
  size_t axis;
  int64_t size, below; /* digit of a coordinate: coordinate / below % size */
} part;

static bool counts(ten_str only, ten_str name) {
  if (!only.size) return true;
  ten_str rest = only, axis_name;
  accept(&rest, "{");
  for (; quoted(&rest, &axis_name); accept(&rest, ","))
    if (ten_str_eq(axis_name, name)) return true;
  return false;
}

static ten_status *read_dimension(const mesh *m, ten_str text, ten_str only, part *parts, size_t *count) {
  ten_str name;
  for (*count = 0; quoted(&text, &name); accept(&text, ",")) {
    size_t a = 0;
    while (a < m->count && !ten_str_eq(m->axes[a].name, name)) a++;
    if (a == m->count) return ten_error(TEN_INVALID, "the mesh has no axis \"%.*s\"", TEN_FMT(name));
    int64_t before = 1, size = m->axes[a].size;
    if (accept(&text, ":(") && (!number(&text, &before) || !accept(&text, ")") || !number(&text, &size)))
      return ten_error(TEN_INVALID, "a part of axis \"%.*s\" is not well formed", TEN_FMT(name));
    if (before < 1 || size < 1 || before > m->axes[a].size || size > m->axes[a].size ||
        m->axes[a].size % (before * size))
      return ten_error(TEN_INVALID, "axis \"%.*s\" has no such part", TEN_FMT(name));
    if (*count == AXES_MAX) return ten_error(TEN_LIMIT, "a dimension is cut along too many axes");
    if (counts(only, name)) parts[(*count)++] = (part){a, size, m->axes[a].size / (before * size)};
  }
  return NULL;
}

/* The linear index of each device along these parts of axes: out[device * stride]. */
static ten_status *number_devices(const mesh *m, const part *parts, size_t count, uint32_t devices, uint32_t *out,
                                  size_t stride) {
  ten_str ids = m->ids;
  for (int64_t p = 0; p < m->total; p++) {
    int64_t coordinates[AXES_MAX], left = p, device = p, digit = 0;
    for (size_t a = m->count; a-- > 0; left /= m->axes[a].size) coordinates[a] = left % m->axes[a].size;
    if (m->ids.size && (!number(&ids, &device) || device >= devices))
      return ten_error(TEN_INVALID, "the mesh does not have the ids of its %u devices", devices);
    accept(&ids, ",");
    for (size_t k = 0; k < count; k++)
      digit = digit * parts[k].size + coordinates[parts[k].axis] / parts[k].below % parts[k].size;
    out[(size_t)device * stride] = (uint32_t)digit;
  }
  return NULL;
}

/* The part behind the dimensions: `, replicated={…}, unreduced={"a"}`. */
static ten_status *read_unreduced(const mesh *m, ten_str rest, ten_str only, ten_tiling *out) {
  ten_str axes;
  while (accept(&rest, ",")) {
    const bool summed = accept(&rest, "unreduced=");
    while (rest.size && *rest.data != '{') rest.data++, rest.size--;
    if (!balanced(&rest, '{', '}', &axes)) break;
    if (!summed) continue;
    part parts[AXES_MAX];
    size_t count;
    TEN_TRY(read_dimension(m, axes, only, parts, &count));
    for (size_t k = 0; k < count; k++) out->parts *= (uint32_t)parts[k].size;
    if (out->parts == 1) continue;
    free(out->part);
    out->part = ten_alloc(out->devices * sizeof *out->part);
    TEN_TRY(number_devices(m, parts, count, out->devices, out->part, 1));
  }
  return NULL;
}

static ten_status *read_sdy(const ten_module *module, ten_str text, ten_str only, uint32_t rank, uint32_t devices,
                            ten_tiling *out) {
  ten_str rest = text, inside, dims, dim;
  accept(&rest, "#sdy.sharding");
  mesh m;
  if (!balanced(&rest, '<', '>', &inside)) return ten_error(TEN_INVALID, "'%.*s' is not a sharding", TEN_FMT(text));
  TEN_TRY(find_mesh(module, &inside, &m));
  if (m.total == 1) return NULL;
  if (m.total != devices)
    return ten_error(TEN_UNSUPPORTED, "a sharding over %lld devices in a program for %u", (long long)m.total, devices);
  if (!accept(&inside, ",") || !balanced(&inside, '[', ']', &dims))
    return ten_error(TEN_INVALID, "'%.*s' is not a sharding", TEN_FMT(text));
  for (uint32_t i = 0; i < rank && balanced(&dims, '{', '}', &dim); i++) {
    part parts[AXES_MAX];
    size_t count;
    TEN_TRY(read_dimension(&m, dim, only, parts, &count));
    for (size_t k = 0; k < count; k++) out->tiles[i] *= parts[k].size;
    TEN_TRY(number_devices(&m, parts, count, devices, out->place + i, rank));
    while (dims.size && *dims.data != ',') dims.data++, dims.size--; /* a priority */
    accept(&dims, ",");
  }
  return read_unreduced(&m, inside, only, out);
}

/* After an error there is nothing to free. */
static ten_status *done(ten_status *status, ten_tiling *out) {
  if (status) ten_tiling_free(out);
  return status;
}

ten_status *ten_tiling_of_sdy(const ten_module *module, ten_str text, ten_str only, uint32_t rank, uint32_t devices,
                              ten_tiling *out) {
  ten_tiling_whole(rank, devices, out);
  return done(read_sdy(module, text, only, rank, devices, out), out);
}

bool ten_tiling_next_sdy(ten_str *rest, ten_str *out_text) {
  if (accept(rest, "#sdy.sharding_per_value<")) accept(rest, "[");
  accept(rest, ",");
  skip(rest);
  const char *start = rest->data;
  accept(rest, "#sdy.sharding");
  ten_str inside;
  if (!balanced(rest, '<', '>', &inside)) return false;
  *out_text = (ten_str){start, (size_t)(rest->data - start)};
  return true;
}

static size_t numbers(ten_str text, int64_t *out, size_t most) {
  size_t count = 0;
  while (count < most && number(&text, &out[count])) {
    count++;
    accept(&text, ",");
  }
  return count;
}

/* The devices of `<=[a,b]T(1,0)`: an iota of that shape, transposed. */
static ten_status *iota(ten_str *s, uint32_t devices, uint32_t *order) {
  ten_str list;
  int64_t dims[AXES_MAX], perm[AXES_MAX], total = 1;
  if (!balanced(s, '[', ']', &list)) return ten_error(TEN_INVALID, "a sharding's devices are not well formed");
  const size_t count = numbers(list, dims, AXES_MAX);
  for (size_t i = 0; i < count; i++) {
    perm[i] = (int64_t)i;
    if (dims[i] < 1 || dims[i] > devices) return ten_error(TEN_INVALID, "a sharding's devices are not well formed");
    total *= dims[i];
    if (total > devices) break;
  }
  if (accept(s, "T") && (!balanced(s, '(', ')', &list) || numbers(list, perm, AXES_MAX) != count))
    return ten_error(TEN_INVALID, "a sharding's devices are not well formed");
  for (size_t i = 0; i < count; i++)
    if (perm[i] >= (int64_t)count) return ten_error(TEN_INVALID, "a sharding's devices are not well formed");
  if (total != devices)
    return ten_error(TEN_UNSUPPORTED, "a sharding over %lld devices in a program for %u", (long long)total, devices);
  int64_t strides[AXES_MAX], stride = 1;
  for (size_t i = count; i-- > 0; stride *= dims[i]) strides[i] = stride;
  for (int64_t p = 0; p < total; p++) {
    int64_t left = p, device = 0;
    for (size_t i = count; i-- > 0; left /= dims[perm[i]]) device += left % dims[perm[i]] * strides[perm[i]];
    order[p] = (uint32_t)(device % devices);
  }
  return NULL;
}

static ten_status *read_hlo(ten_str text, uint32_t rank, uint32_t devices, ten_tiling *out) {
  ten_str rest = text, list;
  if (!accept(&rest, "{") || !accept(&rest, "devices=")) return NULL; /* replicated, maximal, manual, unknown */
  int64_t dims[AXES_MAX];
  if (!balanced(&rest, '[', ']', &list)) return ten_error(TEN_INVALID, "'%.*s' is not a sharding", TEN_FMT(text));
  const size_t count = numbers(list, dims, AXES_MAX);
  int64_t total = 1;
  bool fits = count >= rank;
  for (size_t i = 0; i < count && fits; i++) {
    fits = dims[i] >= 1 && dims[i] <= devices && total <= devices;
    total *= fits ? dims[i] : 1;
  }
  if (!fits || total != devices)
    return ten_error(TEN_UNSUPPORTED, "the sharding '%.*s' in a program for %u devices", TEN_FMT(text), devices);
  uint32_t *order = ten_alloc((devices + 1) * sizeof *order);
  ten_status *status = NULL;
  if (accept(&rest, "<=")) {
    status = iota(&rest, devices, order);
  } else {
    for (uint32_t i = 0; i < devices && !status; i++, accept(&rest, ",")) {
      int64_t id = 0;
      if (!number(&rest, &id) || id >= devices)
        status = ten_error(TEN_INVALID, "'%.*s' does not have the ids of its %u devices", TEN_FMT(text), devices);
      order[i] = (uint32_t)id;
    }
  }
  for (uint32_t p = 0; p < devices && !status; p++) {
    int64_t left = p, coordinates[AXES_MAX];
    for (size_t i = count; i-- > 0; left /= dims[i]) coordinates[i] = left % dims[i];
    for (uint32_t i = 0; i < rank; i++) out->place[(size_t)order[p] * rank + i] = (uint32_t)coordinates[i];
  }
  for (uint32_t i = 0; i < rank; i++) out->tiles[i] = dims[i];
  free(order);
  return status;
}

ten_status *ten_tiling_of_hlo(ten_str text, uint32_t rank, uint32_t devices, ten_tiling *out) {
  ten_tiling_whole(rank, devices, out);
  return done(read_hlo(text, rank, devices, out), out);
}

bool ten_tiling_is_complete(const ten_tiling *tiling) {
  int64_t count = 1;
  for (uint32_t i = 0; i < tiling->rank; i++) count *= tiling->tiles[i];
  if (count > tiling->devices) return false;
  bool *seen = ten_alloc((size_t)count * sizeof *seen);
  memset(seen, 0, (size_t)count * sizeof *seen);
  int64_t found = 0;
  for (uint32_t d = 0; d < tiling->devices; d++) {
    int64_t tile = 0;
    for (uint32_t i = 0; i < tiling->rank; i++) tile = tile * tiling->tiles[i] + tiling->place[d * tiling->rank + i];
    found += !seen[tile];
    seen[tile] = true;
  }
  free(seen);
  return found == count;
}
