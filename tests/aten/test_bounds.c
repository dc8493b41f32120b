/* test_bounds.c: op graphs whose ranks, dimension numbers, lists and sizes do not fit the op are refused, with the op
 * and what is wrong, and nothing is read outside a tensor's dimensions. fuzz/fuzz_ops makes such graphs at random;
 * these are the kinds it found. */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "front/aten/aten.h"
#include "front/import/graph.h"
#include "front/import/load.h"
#include "ir/verify/verify.h"

/* Tensors "name=dtype:size,size" and arguments "name=tensor", "name=3", "name=1.5", "name=[1,2]", "name=(a,b)"
 * (tensors), each list separated by spaces. dtypes are PyTorch's numbers. */
typedef struct op_case {
  const char *op, *tensors, *arguments;
  int results; /* -1: one, described: a view is made only then */
} op_case;

static void tensor_write(ten_buf *inputs, ten_buf *values, const char *name, size_t size, const char *meta) {
  ten_buf_printf(inputs, "%s{\"as_tensor\":{\"name\":\"%.*s\"}}", inputs->size ? "," : "", (int)size, name);
  char *dims;
  const long dtype = strtol(meta, &dims, 10);
  ten_buf_printf(values, "%s\"%.*s\":{\"dtype\":%ld,\"layout\":7,\"sizes\":[", values->size ? "," : "", (int)size, name,
                 dtype);
  for (bool first = true; *dims && *dims != ' ' && dims[1] && dims[1] != ' '; first = false)
    ten_buf_printf(values, "%s{\"as_int\":%lld}", first ? "" : ",", strtoll(dims + 1, &dims, 10));
  ten_buf_adds(values, "]}");
}

static void argument_write(ten_buf *out, const char *name, size_t size, const char *value, size_t value_size) {
  ten_buf_printf(out, "%s{\"name\":\"%.*s\",\"arg\":", out->size ? "," : "", (int)size, name);
  const int length = (int)value_size;
  if (value[0] == '[') {
    ten_buf_printf(out, "{\"as_ints\":%.*s}}", length, value);
  } else if (value[0] == '(') {
    ten_buf_adds(out, "{\"as_tensors\":[");
    for (const char *at = value + 1; at < value + value_size - 1;) {
      const size_t part = strcspn(at, ",)");
      ten_buf_printf(out, "%s{\"name\":\"%.*s\"}", at > value + 1 ? "," : "", (int)part, at);
      at += part + 1;
    }
    ten_buf_adds(out, "]}}");
  } else if (value[0] == '"') {
    ten_buf_printf(out, "{\"as_string\":%.*s}}", length, value);
  } else if (strchr("-0123456789", value[0])) {
    ten_buf_printf(out, "{\"%s\":%.*s}}", memchr(value, '.', value_size) ? "as_float" : "as_int", length, value);
  } else {
    ten_buf_printf(out, "{\"as_tensor\":{\"name\":\"%.*s\"}}}", length, value);
  }
}

static void graph_write(ten_buf *out, const op_case *c) {
  ten_buf inputs = {0}, values = {0}, arguments = {0};
  for (const char *at = c->tensors; *at; at += strcspn(at, " "), at += *at == ' ') {
    const size_t size = strcspn(at, "=");
    tensor_write(&inputs, &values, at, size, at + size + 1);
  }
  for (const char *at = c->arguments; *at; at += strcspn(at, " "), at += *at == ' ') {
    const size_t size = strcspn(at, "=");
    argument_write(&arguments, at, size, at + size + 1, strcspn(at + size + 1, " "));
  }
  if (c->results < 0) ten_buf_adds(&values, ",\"r0\":{\"dtype\":7,\"layout\":7,\"sizes\":[]}");
  ten_buf_printf(
      out, "{\"inputs\":[%s],\"tensor_values\":{%s},\"nodes\":[{\"target\":\"torch.ops.aten.%s\",\"inputs\":[%s],",
      inputs.data, values.data, c->op, arguments.data);
  ten_buf_adds(out, "\"outputs\":[");
  for (int i = 0; i < abs(c->results); i++)
    ten_buf_printf(out, "%s{\"as_tensor\":{\"name\":\"r%d\"}}", i ? "," : "", i);
  ten_buf_adds(out, "]}],\"outputs\":[{\"as_tensor\":{\"name\":\"r0\"}}]}");
  ten_buf_free(&inputs);
  ten_buf_free(&values);
  ten_buf_free(&arguments);
}

static ten_status *lower(ten_module *aten) {
  ten_module *lowered;
  ten_status *status = ten_aten_lower(aten, NULL, &lowered);
  if (status) return status;
  status = ten_verify(lowered);
  ten_module_destroy(lowered);
  return status;
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  static const op_case cases[] = {
#include "bounds.inc"
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_buf text = {0};
    graph_write(&text, &cases[i]);
    ten_module *aten;
    check_ok(ten_graph_import((ten_str){text.data, text.size}, &aten));
    ten_status *status = lower(aten);
    if (!status) fail_msg("aten.%s (%s) was lowered", cases[i].op, cases[i].arguments);
    if (!strstr(ten_status_text(status), cases[i].op))
      fail_msg("aten.%s is not named: %s", cases[i].op, ten_status_text(status));
    ten_status_free(status);
    ten_module_destroy(aten);
    ten_buf_free(&text);
  }
}

static void an_input_of_too_many_dimensions_is_named(void **state) {
  (void)state;
  const op_case c = {"abs.default", "x=7:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "self=x", 1};
  ten_buf text = {0};
  graph_write(&text, &c);
  ten_module *aten;
  check_ok(ten_graph_import((ten_str){text.data, text.size}, &aten));
  check_error(lower(aten), TEN_INVALID, "input 0 has rank 17; the limit is 16");
  ten_module_destroy(aten);
  ten_buf_free(&text);
}

/* What fits is still lowered: the smallest and the largest dimension there is. */
static void what_fits_is_lowered(void **state) {
  (void)state;
  static const op_case cases[] = {
      {"diag_embed.default", "x=7:3", "self=x offset=0 dim1=0 dim2=-1", 1},
      {"concat.default", "x=7:2,3", "tensors=(x,x) dim=-2", 1},
      {"trapezoid.x", "y=7:4 x=7:4", "y=y x=x", 1},
      {"_pdist_backward.default", "g=7:10 x=7:5,6 d=7:10", "grad=g self=x p=2.0 pdist=d", 1},
      {"_pdist_backward.default", "g=7:0 x=7:1,6 d=7:0", "grad=g self=x p=2.0 pdist=d", 1},
      {"linalg_lu_factor.default", "x=7:3,3", "A=x", 2},
      {"slice_backward.default", "x=7:2", "grad_output=x input_sizes=[4] dim=0 start=1 end=4 step=2", 1},
      {"sum.default", "x=7:2,2,2,2,1,1,1,1,1,1,1,1,1,1,1,1", "self=x", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ten_buf text = {0};
    graph_write(&text, &cases[i]);
    ten_module *aten;
    check_ok(ten_graph_import((ten_str){text.data, text.size}, &aten));
    check_ok(lower(aten));
    ten_module_destroy(aten);
    ten_buf_free(&text);
  }
}

static void archive_try(const char *path) {
  ten_file file;
  check_ok(ten_file_map(path, &file));
  ten_module *aten;
  ten_status *status = ten_archive_load(ten_file_bytes(&file), NULL, &aten);
  if (!status) {
    status = lower(aten);
    ten_module_destroy(aten);
  }
  if (!status) fail_msg("%s was lowered", path);
  ten_status_free(status);
  ten_file_unmap(&file);
}

static void archives_that_crashed_are_refused(void **state) {
  (void)state;
  static const char *const folders[] = {TEN_FINDINGS "/04-pt2-lowering-crashes",
                                        TEN_FINDINGS "/04-pt2-lowering-crashes/asan"};
  size_t seen = 0;
  for (size_t f = 0; f < 2; f++) {
    DIR *dir = opendir(folders[f]);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
      char path[1024];
      if (!strstr(entry->d_name, ".pt2")) continue;
      snprintf(path, sizeof path, "%s/%s", folders[f], entry->d_name);
      archive_try(path);
      seen++;
    }
    if (dir) closedir(dir);
  }
  if (!seen) skip(); /* the archives are outside of the checkout */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(an_input_of_too_many_dimensions_is_named),
      cmocka_unit_test(what_fits_is_lowered), cmocka_unit_test(archives_that_crashed_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
