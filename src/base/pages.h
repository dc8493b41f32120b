/* pages.h: releases memory that is not read again, or that can be reloaded from its file. */
#ifndef TEN_BASE_PAGES_H
#define TEN_BASE_PAGES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

/* The read-only file mappings of this process. Free with ten_vec_free(&pages.files). */
typedef struct ten_pages {
  TEN_VEC(ten_str) files;
} ten_pages;
void ten_pages_list(ten_pages *out_pages);

/* Releases the whole pages of a range if they map a file: later reads load them from the file again. */
void ten_pages_release(const ten_pages *pages, const void *data, size_t size);
/* Releases the whole pages of a range, whatever they hold: they then read as zeros. Only for memory the caller owns. */
void ten_pages_drop(const void *data, size_t size);

#endif
