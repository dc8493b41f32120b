/* backend.h: functions of the backend struct (backend.c) from other files. */
#ifndef TEN_CPU_BACKEND_H
#define TEN_CPU_BACKEND_H

#include "backend/cpu/run/executable.h"

extern const ten_backend ten_cpu_backend;

/* compile.c */
TEN_MUST_USE ten_status *cpu_learn(const ten_backend *self, const ten_module *module, const ten_op *func,
                                   const ten_settings *settings);
TEN_MUST_USE ten_status *cpu_show(const ten_backend *self, const ten_module *module, const ten_op *func,
                                  const ten_settings *settings, const char *stage, ten_buf *out);
TEN_MUST_USE ten_status *cpu_save(const ten_backend *self, ten_module *module, const ten_op *func,
                                  const ten_settings *settings, ten_tuning *tuning, ten_buf *out);
TEN_MUST_USE ten_status *cpu_plan_bytes(const ten_backend *self, const ten_module *module, const ten_op *func,
                                        const ten_settings *settings, ten_memory *out_memory);
/* cost.c */
bool cpu_cost(const ten_executable *executable, ten_cost *out_cost);
bool cpu_memory(const ten_executable *executable, ten_memory *out_memory);
ten_memory cpu_memory_of(const exec_program *program);
/* profile.c */
TEN_MUST_USE ten_status *cpu_profile(ten_executable *executable, ten_profile *profile);
/* steps.c */
TEN_MUST_USE ten_status *cpu_steps(const ten_executable *executable, ten_steps *out_steps);
/* parallel.c */
TEN_MUST_USE ten_status *cpu_execute_together(ten_executable *executable, uint32_t replicas, uint32_t partitions,
                                              ten_tensor *const *const *inputs, ten_tensor **const *outputs);
/* export/export.c */
TEN_MUST_USE ten_status *cpu_export(const ten_backend *self, ten_module *module, const ten_op *func,
                                    const ten_settings *settings, const ten_export_options *options,
                                    ten_tuning *tuning);

#endif
