/* tuning.c: frees tuning results. */
#include "backend/tuning.h"

#include <stdlib.h>

void ten_tuning_free(ten_tuning *tuning) {
  for (size_t i = 0; i < tuning->rows.count; i++) {
    free(tuning->rows.data[i].kernel);
    free(tuning->rows.data[i].choice);
    free(tuning->rows.data[i].default_choice);
  }
  ten_vec_free(&tuning->rows);
}
