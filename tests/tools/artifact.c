/* artifact.c: bytecode and text for the tests of other languages. Files are text or bytecode, as they say themselves.
 *   artifact equal A B            the first difference in words; exits 1 when there is one
 *   artifact through VERSION A B  the same, after A went through an artifact of that release
 *   artifact print A              as text, ops of check and interpreter in generic form
 *   artifact write VERSION A OUT  as a portable artifact */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/text.h"

static int complain(const char *path, ten_status *status) {
  printf("%s: %s\n", path, ten_status_text(status));
  ten_status_free(status);
  return 1;
}

/* The data stays mapped as long as the process: constants look into it. */
static ten_module *load(const char *path) {
  ten_file file;
  ten_module *module = NULL;
  ten_status *status = ten_file_map(path, &file);
  if (!status && ten_bytecode_is(file.data, file.size))
    status = ten_bytecode_read(file.data, file.size, path, true, &module);
  else if (!status)
    status = ten_text_parse(file.data, file.size, path, &module);
  if (status) complain(path, status);
  return module;
}

static int explain(const ten_module *a, const ten_module *b) {
  ten_buf why = {0};
  const bool equal = ten_module_explain(a, b, &why);
  if (!equal) printf("%s\n", why.data);
  ten_buf_free(&why);
  return !equal;
}

static ten_vhlo_version version_of(const char *text) {
  ten_vhlo_version version;
  if (!ten_vhlo_version_parse(ten_str_of(text), &version)) exit(2);
  return version;
}

static int print(const char *path) {
  ten_module *module = load(path);
  if (!module) return 1;
  ten_buf text = {0};
  ten_text_print(&text, module, &(ten_print_options){.generic_testing = true});
  fputs(text.data, stdout);
  ten_buf_free(&text);
  ten_module_destroy(module);
  return 0;
}

static int equal(const char *left, const char *right) {
  ten_module *a = load(left), *b = load(right);
  const int differ = a && b ? explain(a, b) : 1;
  ten_module_destroy(a);
  ten_module_destroy(b);
  return differ;
}

static int write_to(const char *version, const char *path, ten_buf *out) {
  ten_module *module = load(path);
  if (!module) return 1;
  ten_status *status = ten_bytecode_write(module, version_of(version), out);
  ten_module_destroy(module);
  return status ? complain(path, status) : 0;
}

static int through(const char *version, const char *left, const char *right) {
  ten_buf data = {0};
  ten_module *a = NULL, *b = NULL;
  int differ = write_to(version, left, &data);
  if (!differ) {
    ten_status *status = ten_bytecode_read(data.data, data.size, "artifact", false, &a);
    differ = status ? complain(left, status) : 0;
    b = load(right);
    if (a && b) differ = explain(a, b);
  }
  ten_module_destroy(a);
  ten_module_destroy(b);
  ten_buf_free(&data);
  return differ;
}

static int write_file(const char *version, const char *path, const char *to) {
  ten_buf data = {0};
  int failed = write_to(version, path, &data);
  FILE *file = failed ? NULL : fopen(to, "wb");
  if (file) failed = fwrite(data.data, 1, data.size, file) != data.size || fclose(file);
  ten_buf_free(&data);
  return failed;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "equal") && argc == 4) return equal(argv[2], argv[3]);
  if (!strcmp(what, "through") && argc == 5) return through(argv[2], argv[3], argv[4]);
  if (!strcmp(what, "print") && argc == 3) return print(argv[2]);
  if (!strcmp(what, "write") && argc == 5) return write_file(argv[2], argv[3], argv[4]);
  fprintf(stderr, "usage: artifact equal A B | through VERSION A B | print A | write VERSION A OUT\n");
  return 2;
}
