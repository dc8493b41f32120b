/* cases.h: a folder of files, each of them a case of one test. */
#ifndef TEN_TESTS_CASES_H
#define TEN_TESTS_CASES_H

#include <dirent.h>
#include <stdio.h>

#include "check.h"

/* Runs every file of a folder that is not hidden; with fewer than so many the folder is not the one that is meant. */
static inline void check_cases(const char *folder, size_t fewest, void (*run)(const char *path)) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  size_t count = 0;
  for (const struct dirent *item = readdir(dir); item; item = readdir(dir)) {
    if (item->d_name[0] == '.') continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
    run(path);
    count++;
  }
  closedir(dir);
  assert_true(count >= fewest);
}

#endif
