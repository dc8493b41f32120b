/* repository.h: the served models, by name and version. A changed version is loaded before it replaces the old one;
 * requests in progress keep theirs. Any thread; loading takes long and belongs on a worker. */
#ifndef TEN_SERVE_REPOSITORY_H
#define TEN_SERVE_REPOSITORY_H

#include "base/source.h"
#include "serve/model.h"

typedef struct serve_entry {
  char *name, *version, *path; /* owned */
  serve_model *model;          /* retained; NULL: not loaded */
  char *reason;                /* owned: why not, or NULL */
  bool from_folder;            /* from the repository's folder, not from the command line */
  bool unloaded;               /* by a client: not reloaded by a poll */
  ten_identity identity;       /* of the file when it was loaded */
} serve_entry;

typedef struct serve_repository {
  const char *folder; /* borrowed, or NULL */
  serve_model_options options;
  void (*note)(const char *text); /* what the user should know */
  pthread_mutex_t mutex;          /* guards the list */
  pthread_mutex_t loading;        /* one change at a time */
  TEN_VEC(serve_entry *) entries; /* owned */
  bool loaded;                    /* all models requested at the start are loaded */
} serve_repository;

void serve_repository_init(serve_repository *repository);
void serve_repository_destroy(serve_repository *repository);
/* A model of the command line: [NAME=]FILE. */
TEN_MUST_USE ten_status *serve_repository_add(serve_repository *repository, const char *text);
/* All models of the folder; one that cannot be loaded is recorded as not ready. */
TEN_MUST_USE ten_status *serve_repository_scan(serve_repository *repository);
/* The model, retained. `version` NULL or "": the newest that is loaded. TEN_NOT_FOUND when there is none. */
TEN_MUST_USE ten_status *serve_repository_find(serve_repository *repository, const char *name, const char *version,
                                               serve_model **out_model);
/* Reloads the versions of a model of the folder, or drops them. */
TEN_MUST_USE ten_status *serve_repository_load(serve_repository *repository, const char *name);
TEN_MUST_USE ten_status *serve_repository_unload(serve_repository *repository, const char *name);

/* The entries, for listings: copies, freed by serve_index_free; models are retained. */
typedef struct serve_index_row {
  char *name, *version, *reason;
  serve_model *model; /* NULL: not loaded */
} serve_index_row;
typedef TEN_VEC(serve_index_row) serve_index;
void serve_repository_index(serve_repository *repository, serve_index *out_index);
void serve_index_free(serve_index *index);
bool serve_repository_ready(serve_repository *repository);

#endif
