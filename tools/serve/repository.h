/* repository.h: the models that are served, by name and version. A version that changed is loaded before it takes the
 * old one's place; requests in progress keep the one they began with. Any thread; loading takes its time and belongs on
 * a worker's. */
#ifndef TEN_SERVE_REPOSITORY_H
#define TEN_SERVE_REPOSITORY_H

#include "base/source.h"
#include "serve/model.h"

typedef struct serve_entry {
  char *name, *version, *path; /* owned */
  serve_model *model;          /* retained; NULL: not loaded */
  char *reason;                /* owned: why not, or NULL */
  bool from_folder;            /* of the repository's folder, not named on the command line */
  bool unloaded;               /* by a client: not loaded again by a poll */
  ten_identity identity;       /* of the file when it was read */
} serve_entry;

typedef struct serve_repository {
  const char *folder; /* borrowed, or NULL */
  serve_model_options options;
  void (*note)(const char *text); /* what the user should know */
  pthread_mutex_t mutex;          /* of the list */
  pthread_mutex_t loading;        /* one change at a time */
  TEN_VEC(serve_entry *) entries; /* owned */
  bool loaded;                    /* all that was wanted at the start */
} serve_repository;

void serve_repository_init(serve_repository *repository);
void serve_repository_destroy(serve_repository *repository);
/* A model of the command line: [NAME=]FILE. */
TEN_MUST_USE ten_status *serve_repository_add(serve_repository *repository, const char *text);
/* All models of the folder; one that cannot be loaded is noted, and is not ready. */
TEN_MUST_USE ten_status *serve_repository_scan(serve_repository *repository);
/* The model, retained. `version` NULL or "": the newest that is loaded. TEN_NOT_FOUND when there is none. */
TEN_MUST_USE ten_status *serve_repository_find(serve_repository *repository, const char *name, const char *version,
                                               serve_model **out_model);
/* Reads the versions of a model of the folder again, or drops them. */
TEN_MUST_USE ten_status *serve_repository_load(serve_repository *repository, const char *name);
TEN_MUST_USE ten_status *serve_repository_unload(serve_repository *repository, const char *name);

/* What there is, for listings: copies, freed by serve_index_free; models are retained. */
typedef struct serve_index_row {
  char *name, *version, *reason;
  serve_model *model; /* NULL: not loaded */
} serve_index_row;
typedef TEN_VEC(serve_index_row) serve_index;
void serve_repository_index(serve_repository *repository, serve_index *out_index);
void serve_index_free(serve_index *index);
bool serve_repository_ready(serve_repository *repository);

#endif
