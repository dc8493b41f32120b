/* report_page.h: report.html as bytes; made by scripts/embed when the command is built. */
#ifndef TEN_CLI_REPORT_PAGE_H
#define TEN_CLI_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page[];
extern const size_t report_page_size;

#endif
