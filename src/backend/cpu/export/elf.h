/* elf.h: data as an object file that a linker takes. */
#ifndef TEN_CPU_EXPORT_ELF_H
#define TEN_CPU_EXPORT_ELF_H

#include "base/str.h"
#include "tenfold/status.h"

/* Writes an object file for this machine with one read-only section: the parts, one after the other, page-aligned,
 * under the name `symbol`. The parts are not copied. */
TEN_MUST_USE ten_status *ten_elf_write(const char *path, const char *symbol, const ten_str *parts, size_t count);

#endif
