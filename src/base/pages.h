/* pages.h: giving memory back that will not be read again, or can be read again from its file. */
#ifndef TEN_BASE_PAGES_H
#define TEN_BASE_PAGES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* Where this process has mapped files that it cannot write to. Free with ten_vec_free(&pages.files). */
typedef struct ten_pages {
  TEN_VEC(ten_str) files;
} ten_pages;
void ten_pages_list(ten_pages *out_pages);

/* The whole pages of a range, if they are a file's: what is read of them from now on comes from the file again. */
void ten_pages_release(const ten_pages *pages, const void *data, size_t size);
/* The whole pages of a range, whatever is in them: they read as zeros from now on. Only for memory of one's own. */
void ten_pages_drop(const void *data, size_t size);

#endif
