/* report.h: the JSON data of a report, which its page reads (page/report.js). */
#ifndef TEN_CLI_REPORT_H
#define TEN_CLI_REPORT_H

#include "cli/observe.h"
#include "cli/traced.h"

/* The common part of every report; the rest is added. */
json_t *report_begin(const char *program, bool train);
void report_add_observed(json_t *root, const cli_observed *observed, const char *precision);
void report_add_traced(json_t *root, const cli_traced *traced);
/* The program before fusion: of `path`, or the function of a training step. */
TEN_MUST_USE ten_status *report_add_before(json_t *root, const char *path, bool train, const ten_module *module,
                                           const ten_op *func);
/* The measured peaks of this machine. */
void report_add_machine(json_t *root);
/* The log of `train --metrics`. */
TEN_MUST_USE ten_status *report_add_metrics(json_t *root, const char *path);

#endif
