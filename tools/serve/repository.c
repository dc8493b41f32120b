/* repository.c: names, versions, and replacing a model in use. */
#include "serve/repository.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/http.h"

static const char *const files[] = {"model.pt2", "model.mlir", "model.mlirbc", "model.ten", NULL};

void serve_repository_init(serve_repository *r) {
  pthread_mutex_init(&r->mutex, NULL);
  pthread_mutex_init(&r->loading, NULL);
}

static void entry_free(serve_entry *entry) {
  serve_model_release(entry->model);
  free(entry->name);
  free(entry->version);
  free(entry->path);
  free(entry->reason);
  free(entry);
}

void serve_repository_destroy(serve_repository *r) {
  for (size_t i = 0; i < r->entries.count; i++) entry_free(r->entries.data[i]);
  ten_vec_free(&r->entries);
  pthread_mutex_destroy(&r->mutex);
  pthread_mutex_destroy(&r->loading);
}

static serve_entry *entry_find(serve_repository *r, const char *name, const char *version) {
  for (size_t i = 0; i < r->entries.count; i++)
    if (!strcmp(r->entries.data[i]->name, name) && !strcmp(r->entries.data[i]->version, version))
      return r->entries.data[i];
  return NULL;
}

static ten_identity identity_at(const char *path) {
  ten_identity identity = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    if (!ten_identity_of(fd, &identity)) identity = (ten_identity){0};
    close(fd);
  }
  return identity;
}

/* Loads the file and replaces its entry's model; on an error the entry keeps the old one. Under `loading`. */
static ten_status *entry_load(serve_repository *r, const char *name, const char *version, const char *path,
                              bool from_folder) {
  serve_model *model = NULL;
  char *note = NULL;
  const ten_identity identity = identity_at(path);
  ten_status *status = serve_model_load(path, name, version, &r->options, &model, &note);
  if (note && r->note) r->note(note);
  free(note);
  serve_entry *fresh = ten_alloc(sizeof *fresh);
  *fresh = (serve_entry){
      .name = ten_strdup(name), .version = ten_strdup(version), .path = ten_strdup(path), .from_folder = from_folder};
  char *reason = status ? ten_strdup(ten_status_message(status)) : NULL;
  pthread_mutex_lock(&r->mutex);
  serve_entry *entry = entry_find(r, name, version);
  pthread_mutex_unlock(&r->mutex);
  if (!entry) { /* only this thread adds */
    pthread_mutex_lock(&r->mutex);
    if (r->entries.count == r->entries.capacity) {
      pthread_mutex_unlock(&r->mutex);
      TEN_VEC(serve_entry *) grown = {0};
      ten_vec_reserve(&grown, r->entries.capacity * 2 + 8);
      pthread_mutex_lock(&r->mutex);
      if (r->entries.count) memcpy(grown.data, r->entries.data, r->entries.count * sizeof *grown.data);
      free(r->entries.data);
      r->entries.data = grown.data;
      r->entries.capacity = grown.capacity;
    }
    r->entries.data[r->entries.count++] = entry = fresh;
    fresh = NULL;
    pthread_mutex_unlock(&r->mutex);
  }
  pthread_mutex_lock(&r->mutex);
  serve_model *old = NULL;
  if (model) old = entry->model, entry->model = model;
  char *old_reason = entry->reason;
  entry->reason = reason;
  entry->identity = identity;
  entry->unloaded = false;
  if (fresh) {
    char *path_now = entry->path;
    entry->path = fresh->path;
    fresh->path = path_now;
  }
  pthread_mutex_unlock(&r->mutex);
  free(old_reason);
  serve_model_release(old);
  if (fresh) entry_free(fresh);
  return status;
}

static bool name_fits(const char *name) {
  if (!*name || *name == '.' || strlen(name) > 100) return false;
  for (const char *c = name; *c; c++)
    if (*c == '/' || (unsigned char)*c < 33 || *c == 127) return false;
  return true;
}

ten_status *serve_repository_add(serve_repository *r, const char *text) {
  char name[128];
  const char *equals = strchr(text, '='), *path = text;
  if (equals && equals > text && !memchr(text, '/', (size_t)(equals - text)) && access(text, F_OK)) {
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    path = equals + 1;
  } else {
    const char *slash = strrchr(text, '/');
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : text);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
  }
  if (!name_fits(name)) return ten_error(TEN_INVALID, "'%s' cannot be the name of a model; use NAME=FILE", name);
  if (entry_find(r, name, "1"))
    return ten_error(TEN_INVALID, "two models are called '%s'; use NAME=FILE to tell them apart", name);
  return entry_load(r, name, "1", path, false);
}

/* The file of a version, or false. */
static bool version_file(const char *folder, const char *name, const char *version, char *out, size_t size) {
  for (const char *const *file = files; *file; file++) {
    const int length = snprintf(out, size, "%s/%s/%s/%s", folder, name, version, *file);
    if (length > 0 && (size_t)length < size && !access(out, R_OK)) return true;
  }
  return false;
}

static bool is_version(const char *text) {
  uint64_t number;
  return *text != '0' && http_number(ten_str_of(text), &number);
}

/* Drops versions that are no longer in the folder. Under `loading`. */
static void drop_gone(serve_repository *r, const char *name) {
  for (size_t i = 0; i < r->entries.count; i++) {
    serve_entry *entry = r->entries.data[i];
    if (!entry->from_folder || strcmp(entry->name, name) != 0 || !access(entry->path, F_OK)) continue;
    pthread_mutex_lock(&r->mutex);
    r->entries.data[i--] = r->entries.data[--r->entries.count];
    pthread_mutex_unlock(&r->mutex);
    entry_free(entry);
  }
}

/* `force`: also reloads unchanged ones, and those that a client unloaded. Returns the number of versions. */
static ten_status *load_versions(serve_repository *r, const char *name, bool force, size_t *out_count) {
  *out_count = 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  DIR *folder = opendir(path);
  if (!folder) return ten_error(TEN_NOT_FOUND, "no model '%s' in the repository", name);
  ten_status *first = NULL;
  for (const struct dirent *file; (file = readdir(folder));) {
    if (!is_version(file->d_name) || !version_file(r->folder, name, file->d_name, path, sizeof path)) continue;
    ++*out_count;
    const serve_entry *entry = entry_find(r, name, file->d_name);
    const ten_identity now = identity_at(path);
    if (entry && !force && (entry->unloaded || ten_identity_eq(&entry->identity, &now))) continue;
    ten_status *status = entry_load(r, name, file->d_name, path, true);
    if (status && r->note) r->note(ten_status_text(status));
    first = ten_first_error(first, status);
  }
  closedir(folder);
  drop_gone(r, name);
  return first;
}

ten_status *serve_repository_scan(serve_repository *r) {
  DIR *folder = opendir(r->folder);
  if (!folder) return ten_error(TEN_NOT_FOUND, "the repository '%s' cannot be read: %s", r->folder, strerror(errno));
  pthread_mutex_lock(&r->loading);
  for (const struct dirent *file; (file = readdir(folder));) {
    size_t count;
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", r->folder, file->d_name);
    if (!name_fits(file->d_name) || stat(path, &about) || !S_ISDIR(about.st_mode)) continue;
    ten_status_free(load_versions(r, file->d_name, false, &count)); /* recorded, and in the index */
  }
  for (size_t i = 0; i < r->entries.count; i++) /* whole models that were removed */
    if (r->entries.data[i]->from_folder && access(r->entries.data[i]->path, F_OK)) {
      drop_gone(r, r->entries.data[i]->name);
      i = (size_t)-1;
    }
  r->loaded = true;
  pthread_mutex_unlock(&r->loading);
  closedir(folder);
  return NULL;
}

ten_status *serve_repository_load(serve_repository *r, const char *name) {
  TEN_RECOVER("loading a model");
  if (!r->folder) return ten_error(TEN_NOT_FOUND, "no model '%s': there is no repository (--repository)", name);
  if (!name_fits(name)) return ten_error(TEN_INVALID, "'%s' cannot be the name of a model", name);
  size_t count;
  pthread_mutex_lock(&r->loading);
  ten_status *status = load_versions(r, name, true, &count);
  pthread_mutex_unlock(&r->loading);
  if (!status && !count) return ten_error(TEN_NOT_FOUND, "model '%s' has no version in the repository", name);
  return status;
}

ten_status *serve_repository_unload(serve_repository *r, const char *name) {
  TEN_RECOVER("unloading a model");
  size_t count = 0;
  pthread_mutex_lock(&r->loading);
  for (size_t i = 0; i < r->entries.count; i++) {
    serve_entry *entry = r->entries.data[i];
    if (strcmp(entry->name, name) != 0 || !entry->from_folder) continue;
    count++;
    char *reason = ten_strdup("unloaded"), *old_reason;
    pthread_mutex_lock(&r->mutex);
    serve_model *old = entry->model;
    entry->model = NULL;
    old_reason = entry->reason;
    entry->reason = reason;
    entry->unloaded = true;
    pthread_mutex_unlock(&r->mutex);
    free(old_reason);
    serve_model_release(old);
  }
  pthread_mutex_unlock(&r->loading);
  return count ? NULL : ten_error(TEN_NOT_FOUND, "no model '%s' in the repository", name);
}

static uint64_t version_number(const serve_entry *entry) { return strtoull(entry->version, NULL, 10); }

ten_status *serve_repository_find(serve_repository *r, const char *name, const char *version, serve_model **out_model) {
  *out_model = NULL;
  const serve_entry *best = NULL, *seen = NULL;
  char reason[256] = "";
  pthread_mutex_lock(&r->mutex);
  for (size_t i = 0; i < r->entries.count; i++) {
    const serve_entry *entry = r->entries.data[i];
    if (strcmp(entry->name, name) != 0 || (version && *version && strcmp(entry->version, version) != 0)) continue;
    seen = entry;
    if (!entry->model && entry->reason) snprintf(reason, sizeof reason, "%s", entry->reason);
    if (entry->model && (!best || version_number(entry) > version_number(best))) best = entry;
  }
  if (best) *out_model = serve_model_retain(best->model);
  const bool known = seen;
  pthread_mutex_unlock(&r->mutex);
  if (*out_model) return NULL;
  if (known) return ten_error(TEN_NOT_FOUND, "model '%s' is not ready: %s", name, reason);
  if (version && *version) return ten_error(TEN_NOT_FOUND, "no model '%s' of version '%s'", name, version);
  return ten_error(TEN_NOT_FOUND, "no model '%s'", name);
}

void serve_repository_index(serve_repository *r, serve_index *out) {
  *out = (serve_index){0};
  ten_vec_reserve(out, r->entries.count + 8);
  pthread_mutex_lock(&r->mutex);
  for (size_t i = 0; i < r->entries.count && out->count < out->capacity; i++) {
    const serve_entry *entry = r->entries.data[i];
    /* strdup: no longjmp while the mutex is held */
    out->data[out->count++] = (serve_index_row){.name = strdup(entry->name),
                                                .version = strdup(entry->version),
                                                .reason = entry->reason ? strdup(entry->reason) : NULL,
                                                .model = entry->model ? serve_model_retain(entry->model) : NULL};
  }
  pthread_mutex_unlock(&r->mutex);
}

void serve_index_free(serve_index *index) {
  for (size_t i = 0; i < index->count; i++) {
    free(index->data[i].name);
    free(index->data[i].version);
    free(index->data[i].reason);
    serve_model_release(index->data[i].model);
  }
  ten_vec_free(index);
}

bool serve_repository_ready(serve_repository *r) {
  pthread_mutex_lock(&r->mutex);
  bool ready = r->loaded;
  for (size_t i = 0; i < r->entries.count && ready; i++)
    ready = r->entries.data[i]->model || r->entries.data[i]->unloaded;
  pthread_mutex_unlock(&r->mutex);
  return ready;
}
