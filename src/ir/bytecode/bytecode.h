/* bytecode.h: reads MLIR bytecode, reads and writes StableHLO portable artifacts.
 *
 * The reader accepts any version of the container (0 to 6) with VHLO of any release since 0.9.0, or StableHLO, CHLO,
 * func, quant and sdy in their own encodings; it returns a module of today's StableHLO, defaults omitted. The writer
 * targets a release of the caller's choice and reports by name what that release cannot express. */
#ifndef TEN_IR_BYTECODE_H
#define TEN_IR_BYTECODE_H

#include "ir/module.h"

typedef struct ten_vhlo_version {
  uint16_t major, minor, patch;
} ten_vhlo_version;

/* The newest release the writer can target, and the oldest. */
extern const ten_vhlo_version ten_vhlo_version_current, ten_vhlo_version_oldest;
#define TEN_VERSION_OLDEST 0, 9, 0
/* Parses "1.2.3"; false when the text is anything else. */
bool ten_vhlo_version_parse(ten_str text, ten_vhlo_version *out);
void ten_vhlo_version_print(ten_buf *buf, ten_vhlo_version version);
int ten_vhlo_version_compare(ten_vhlo_version a, ten_vhlo_version b);

/* True when the first bytes are those of MLIR bytecode. */
bool ten_bytecode_is(const void *data, size_t size);
/* The release that a portable artifact names; false for bytecode of another producer. */
bool ten_bytecode_producer(const void *data, size_t size, ten_vhlo_version *out);

/* `path` names the file in messages and may be NULL. With `borrow_data` the data outlives the module, and constants
 * that are suitably aligned and laid out are views of it; others are copied. */
TEN_MUST_USE ten_status *ten_bytecode_read(const void *data, size_t size, const char *path, bool borrow_data,
                                           ten_module **out);

/* Appends a portable artifact. Ops of dialects other than StableHLO and func are written unchanged, from 1.11.0
 * on. */
TEN_MUST_USE ten_status *ten_bytecode_write(const ten_module *module, ten_vhlo_version target, ten_buf *out);

#endif
