/* device.c: code shared by drivers. */
#include "backend/simt/device.h"

static _Thread_local unsigned selected;

void simt_select_device(unsigned index) { selected = index; }
unsigned simt_selected_device(void) { return selected; }

static ten_status *open_once(simt_opened *opened, ten_status *(*open)(ten_buf *text)) {
  if (!opened->done) {
    ten_status *status = open(&opened->text);
    if (status) {
      opened->failure = ten_status_code(status);
      opened->text.size = 0;
      ten_buf_adds(&opened->text, ten_status_text(status));
      ten_status_free(status);
    }
    opened->done = true;
  }
  return opened->failure ? ten_error(opened->failure, "%s", opened->text.data) : NULL;
}

ten_status *simt_open_device(simt_opening *opening, ten_status *(*load)(ten_buf *unused),
                             ten_status *(*open_device)(ten_buf *text), ten_buf *description) {
  simt_opened *device = &opening->devices[selected];
  ten_mutex_lock(&opening->mutex);
  ten_status *status = load ? open_once(&opening->library, load) : NULL;
  if (!status) status = open_once(device, open_device);
  ten_mutex_unlock(&opening->mutex);
  if (!status && description) ten_buf_adds(description, device->text.data);
  return status;
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
