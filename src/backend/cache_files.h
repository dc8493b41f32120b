/* cache_files.h: the cache's directory: who may write to it, which files in it are the cache's, and what goes. */
#ifndef TEN_BACKEND_CACHE_FILES_H
#define TEN_BACKEND_CACHE_FILES_H

#include "backend/cache.h"
#include "base/source.h"

/* The directory, open; -1 without an error when there is none, or the cache is off. An error says why what is there is
 * not used. `make`: it is made where it is missing. */
TEN_MUST_USE ten_status *ten_cache_open(bool make, int *out_dir);
/* A file of the cache for reading; -1 when it is missing, or somebody else owns it or may write to it. */
int ten_cache_open_file(int dir, const char *name);
/* Written under another name and renamed: nobody sees half of it. False when that failed; then nothing is left. */
bool ten_cache_write_file(int dir, const char *name, const ten_str *parts, size_t count);
/* Removes what processes that are gone were writing. */
void ten_cache_clean(int dir);
/* Removes what was not used for longest until the rest takes no more than it may. */
void ten_cache_trim(int dir);
uint64_t ten_cache_limit(void);

/* known_files.c: what is known of files. A record maps a file's identity to a digest: of the content of a program's
 * file, or the key of an entry whose checksum was right. Records hold until the next boot. */
bool ten_cache_recall(int dir, const ten_identity *identity, ten_digest *out_digest);
void ten_cache_remember(int dir, const ten_identity *identity, const ten_digest *digest);
/* Marks the record as used just now. */
void ten_cache_touch(int dir, const ten_identity *identity);
enum { TEN_CACHE_NAME = 80 };
void ten_cache_record_name(uint64_t device, uint64_t inode, char out_name[TEN_CACHE_NAME]);
/* The digest of a program's file: recalled, or of all of it. `dir` may be -1. False: it changes. */
bool ten_cache_source_digest(int dir, ten_source *source, ten_digest *out_digest);

#endif
