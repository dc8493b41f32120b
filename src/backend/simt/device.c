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

ten_status *simt_source(const simt_driver *driver, ten_str kernels, ten_buf *out) {
  ten_buf text = {0};
  simt_prelude(driver->language, &text);
  ten_buf_addstr(&text, kernels);
  ten_status *status = driver->print ? driver->print(text.data, out) : NULL;
  if (!driver->print) ten_buf_addstr(out, (ten_str){text.data, text.size});
  ten_buf_free(&text);
  return status;
}
