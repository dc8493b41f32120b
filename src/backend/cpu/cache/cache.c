/* cache.c: compiled programs on disk. An entry is a compiled file (object.h) whose name is its key, and which holds the
 * key: what was put under another name is not run. Its checksum is compared the first time it is found, and when it has
 * changed since (known_files.c). When the directory grows past TENFOLD_CACHE_MB (1024), the entries not used for
 * longest go. */
#include "backend/cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/cache_files.h"
#include "backend/cpu/cache/store.h"
#include "backend/cpu/codegen/jit.h"
#include "backend/cpu/machine.h"
#include "backend/cpu/plan/plan.h"
#include "base/environment.h"
#include "base/hash.h"
#include "tenfold/version.h"

enum { BACKGROUND_FROM = 1 << 22, SETTLED_SECONDS = 2 };

typedef struct build {
  uintptr_t here;
  ten_digester *out;
  bool found;
} build;

static bool add_note(build *b, const char *at, size_t size) {
  for (size_t next = 0; next + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    memcpy(&note, at + next, sizeof note);
    const size_t name = next + sizeof note, data = name + (note.n_namesz + 3u) / 4 * 4;
    if (data > size || note.n_descsz > size - data) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + name, "GNU", 4)) {
      ten_digester_add_str(b->out, (ten_str){at + data, note.n_descsz});
      return true;
    }
    next = data + (note.n_descsz + 3u) / 4 * 4;
  }
  return false;
}

static int look_for_build(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  build *b = user;
  bool here = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    here |= part->p_type == PT_LOAD && b->here - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
  }
  for (int i = 0; here && !b->found && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_NOTE) b->found = add_note(b, (const char *)(info->dlpi_addr + part->p_vaddr), part->p_memsz);
  }
  return here;
}

/* Identifies the build: another build may be incompatible, even with the same version. The linker's build ID, or else a
 * digest of the file. */
static void add_build(ten_digester *out) {
  build b = {(uintptr_t)cpu_cache_find, out, false};
  dl_iterate_phdr(look_for_build, &b);
  Dl_info info;
  struct stat file;
  if (b.found || !dladdr((const void *)(uintptr_t)cpu_cache_find, &info) || stat(info.dli_fname, &file)) return;
  const int64_t parts[] = {(int64_t)file.st_ino, file.st_size,        file.st_mtim.tv_sec,
                           file.st_mtim.tv_nsec, file.st_ctim.tv_sec, file.st_ctim.tv_nsec};
  ten_digester_add(out, parts, sizeof parts);
}

static void add_text(ten_digester *out, const char *text) { ten_digester_add_str(out, ten_str_of(text ? text : "")); }

static int open_cache(bool make) {
  int dir;
  ten_status_free(ten_cache_open(make, &dir)); /* ten_cache_check says it to who wants to know */
  return dir;
}

typedef struct sources {
  int dir;
  bool good;
} sources;

/* A constant's location in a file: the file's digest and the offset. */
static bool add_place(void *user, const ten_attr *dense, ten_digester *out) {
  sources *s = user;
  ten_source *source = dense->dense.source;
  const char *data = dense->dense.data;
  if (!source || data < source->file.data || data + dense->dense.size > source->file.data + source->file.size)
    return false;
  ten_digest digest;
  if (s->dir < 0) s->dir = open_cache(true); /* the file's record goes there, though the program itself may not */
  if (!ten_cache_source_digest(s->dir, source, &digest)) {
    s->good = false;
    return true;
  }
  ten_digester_add_u64(out, 1);
  ten_digester_add(out, digest.bytes, sizeof digest.bytes);
  ten_digester_add_u64(out, (uint64_t)(data - source->file.data));
  return true;
}

void cpu_cache_add_machine(const char *what, ten_digester *out) {
  add_text(out, what);
  add_text(out, TENFOLD_VERSION);
  add_build(out);
  add_text(out, ten_cpu_architecture());
  ten_digester_add_u64(out, ten_cpu_fingerprint());
  add_text(out, ten_cpu_target_wanted());
  add_text(out, ten_env_text(TEN_ENV_GRAIN));
  add_text(out, ten_env_text(TEN_ENV_SCHEDULE));
  add_text(out, ten_env_text(TEN_ENV_CHUNK));
}

cpu_cache_key cpu_cache_key_of(const cpu_plan *plan) {
  ten_buf path = {0};
  const bool on = ten_cache_dir(&path);
  ten_buf_free(&path);
  if (!on) return (cpu_cache_key){0};
  ten_digester *out = ten_alloc(sizeof *out);
  ten_digester_init(out);
  cpu_cache_add_machine("tenfold cpu program", out);
  ten_digester_add_u64(out, plan->threads);
  const bool settings[] = {plan->bf16, plan->exact_conv, plan->round_once, plan->plain};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) ten_digester_add_u64(out, settings[i]);
  sources s = {-1, true};
  ten_op_digest(plan->module->op, add_place, &s, out);
  if (s.dir >= 0) close(s.dir);
  const cpu_cache_key key = {ten_digester_result(out), s.good};
  free(out);
  return key;
}

static ten_status *check_source(ten_op *op, void *same) {
  const ten_attr *value = op->code == TEN_OP_CONSTANT ? ten_op_attr(op, "value") : NULL;
  ten_source *source =
      value && (value->kind == TEN_ATTR_DENSE || value->kind == TEN_ATTR_RESOURCE) ? value->dense.source : NULL;
  ten_identity now;
  if (source && source->fd >= 0)
    *(bool *)same &= ten_identity_of(source->fd, &now) && source->known && ten_identity_eq(&now, &source->identity);
  return NULL;
}

bool cpu_cache_key_holds(const ten_module *module) {
  bool same = true;
  if (module) ten_status_free(ten_op_walk(module->op, check_source, &same));
  return same;
}

static void entry_name(const ten_digest *key, char out_name[TEN_CACHE_NAME]) {
  ten_digest_hex(key, out_name);
  memcpy(out_name + 64, ".ten", 5);
}

static ten_status *read_entry(int dir, int fd, const char *name, const ten_digest *key, ten_file *file,
                              cpu_executable **out_executable) {
  TEN_RECOVER("reading the cache");
  TEN_TRY(ten_file_map_descriptor(fd, name, file));
  cpu_object_header header;
  TEN_TRY(cpu_object_check_header(file->data, file->size, name, &header));
  if (!ten_digest_eq(&header.key, key)) return ten_error(TEN_INVALID, "%s is of another program", name);
  ten_identity identity;
  ten_digest known;
  if (!ten_identity_of(fd, &identity)) return ten_error(TEN_INVALID, "%s is not a file", name);
  if (ten_cache_recall(dir, &identity, &known) && ten_digest_eq(&known, key)) {
    ten_cache_touch(dir, &identity);
  } else {
    TEN_TRY(cpu_object_verify(file->data, file->size, name));
    /* A later change has another time. */
    if (time(NULL) - identity.changed[0] >= SETTLED_SECONDS) ten_cache_remember(dir, &identity, key);
  }
  return cpu_object_read_verified(file->data, file->size, name, out_executable);
}

cpu_executable *cpu_cache_find(const cpu_cache_key *key) {
  const int dir = key->usable ? open_cache(false) : -1;
  if (dir < 0) return NULL;
  ten_cache_clean(dir);
  char name[TEN_CACHE_NAME];
  entry_name(&key->digest, name);
  cpu_executable *executable = NULL;
  const int fd = ten_cache_open_file(dir, name);
  if (fd >= 0) {
    ten_file file = {0};
    ten_status_free(read_entry(dir, fd, name, &key->digest, &file, &executable)); /* invalid counts as missing */
    if (executable)
      executable->file = file;
    else if (file.data)
      ten_file_unmap(&file);
    close(fd);
  }
  close(dir);
  return executable;
}

struct cpu_cache_write {
  cpu_object object;
  ten_buf code; /* one of the object's parts may be borrowed from it */
  ten_digest key;
  ten_thread thread;
};

static void *write_entry(void *argument) {
  TEN_RECOVER_AS("writing the cache", NULL);
  cpu_cache_write *w = argument;
  const int dir = open_cache(true);
  if (dir < 0) return NULL;
  char name[TEN_CACHE_NAME];
  entry_name(&w->key, name);
  cpu_object_seal(&w->object, &w->key);
  size_t count = 0;
  ten_str *parts = cpu_object_parts(&w->object, &count);
  ten_cache_write_file(dir, name, parts, count);
  ten_cache_clean(dir);
  ten_cache_trim(dir);
  free(parts);
  close(dir);
  return NULL;
}

/* What is written is freed once it is: nobody may wait for the thread until the program ends. */
static void drop_contents(cpu_cache_write *w) {
  cpu_object_free(&w->object);
  w->object = (cpu_object){0};
  ten_buf_free(&w->code);
}

/* Low priority: the program runs meanwhile. */
static void *write_behind(void *argument) {
  setpriority(PRIO_PROCESS, 0, 19); /* of this thread: Linux has a priority for each */
  write_entry(argument);
  drop_contents(argument);
  return NULL;
}

static void write_free(cpu_cache_write *w) {
  drop_contents(w);
  free(w);
}

cpu_cache_write *cpu_cache_store(const cpu_cache_key *key, cpu_object *object, ten_buf *code) {
  cpu_cache_write *w = ten_alloc(sizeof *w);
  *w = (cpu_cache_write){.object = *object, .code = *code, .key = key->digest};
  *object = (cpu_object){0};
  *code = (ten_buf){0};
  const size_t size = cpu_object_size(&w->object);
  const bool wanted = size <= ten_cache_limit();
  if (wanted && size >= BACKGROUND_FROM) {
    ten_status *status = ten_thread_start(0, write_behind, w, &w->thread);
    if (!status) return w;
    ten_status_free(status);
  }
  if (wanted) write_entry(w);
  write_free(w);
  return NULL;
}

void cpu_cache_wait(cpu_cache_write *write) {
  if (!write) return;
  ten_thread_join(write->thread);
  write_free(write);
}
