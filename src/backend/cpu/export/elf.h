/* elf.h: data as a linkable object file. */
#ifndef TEN_CPU_EXPORT_ELF_H
#define TEN_CPU_EXPORT_ELF_H

#include "base/str.h"
#include "tenfold/status.h"

/* Writes an object file for this machine with one read-only section: the parts concatenated, page-aligned, under the
 * name `symbol`. The parts are not copied. */
TEN_MUST_USE ten_status *ten_elf_write(const char *path, const char *symbol, const ten_str *parts, size_t count);

#endif
