/* report.h: what a report is about, as JSON that its page reads (page/report.js). */
#ifndef TEN_CLI_REPORT_H
#define TEN_CLI_REPORT_H

#include "cli/observe.h"
#include "cli/traced.h"

/* What every report has; the rest is added. */
json_t *report_begin(const char *program, bool train);
void report_add_observed(json_t *root, const cli_observed *observed, const char *precision);
void report_add_traced(json_t *root, const cli_traced *traced);
/* The program before fusion: that of `path`, or of a training step the function. */
TEN_MUST_USE ten_status *report_add_before(json_t *root, const char *path, bool train, const ten_module *module,
                                           const ten_op *func);
/* What this machine can do at most, measured. */
void report_add_machine(json_t *root);
/* What `train --metrics` wrote. */
TEN_MUST_USE ten_status *report_add_metrics(json_t *root, const char *path);

#endif
