/* zip.h: the directory of a zip archive in memory. Entries are views: only stored (uncompressed) ones can be read,
 * which is how torch.export.save writes them, so opening an archive never expands it. */
#ifndef TEN_IMPORT_ZIP_H
#define TEN_IMPORT_ZIP_H

#include <stdint.h>

#include "base/str.h"

typedef struct ten_zip_entry {
  ten_str name; /* borrowed from the archive */
  ten_str data; /* borrowed from the archive; empty when `compressed` */
  uint32_t crc; /* of the data, as recorded in the archive */
  bool compressed;
} ten_zip_entry;

typedef struct ten_zip {
  ten_zip_entry *entries; /* owned */
  size_t count;
} ten_zip;

bool ten_zip_sniff(ten_str bytes);
TEN_MUST_USE ten_status *ten_zip_open(ten_str bytes, ten_zip *out_zip);
void ten_zip_close(ten_zip *zip);
/* NULL when there is no such name. */
const ten_zip_entry *ten_zip_find(const ten_zip *zip, ten_str name);

#endif
