/* device.c: code shared by drivers. */
#include "backend/simt/device.h"

ten_status *simt_open_once(simt_opening *opening, ten_status *(*open)(ten_buf *text), ten_buf *description) {
  ten_mutex_lock(&opening->mutex);
  if (!opening->done) {
    ten_status *status = open(&opening->text);
    if (status) {
      opening->failure = ten_status_code(status);
      opening->text.size = 0;
      ten_buf_adds(&opening->text, ten_status_text(status));
      ten_status_free(status);
    }
    opening->done = true;
  }
  ten_mutex_unlock(&opening->mutex);
  if (opening->failure) return ten_error(opening->failure, "%s", opening->text.data);
  if (description) ten_buf_adds(description, opening->text.data);
  return NULL;
}
