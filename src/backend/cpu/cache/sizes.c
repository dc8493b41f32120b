/* sizes.c: the generated code of a program with open dimensions on disk: what its sizes share (codegen/variants.h). In
 * a later process its first size finds code, or at least what differed between sizes. A wrong entry costs time, never a
 * result: code is used only for functions whose whole spelling it has. */
#include <stdlib.h>
#include <string.h>

#include "backend/cache_code.h"
#include "backend/cache_files.h"
#include "backend/cpu/cache/store.h"
#include "backend/cpu/codegen/variants_state.h"
#include "base/environment.h"

enum { ALIGN = 64 };

static ten_digest key_of(const ten_settings *settings, ten_hash128 program) {
  ten_digester *out = ten_alloc(sizeof *out);
  ten_digester_init(out);
  cpu_cache_add_machine("tenfold cpu sizes", out);
  const char *precision = ten_env_text(TEN_ENV_PRECISION);
  ten_digester_add_str(out, ten_str_of(precision ? precision : ""));
  ten_digester_add_u64(out, ten_env_switch(TEN_ENV_WINOGRAD, true));
  ten_digester_add_u64(out, settings->precision);
  ten_digester_add_u64(out, settings->exact_conv);
  ten_digester_add_u64(out, (uint64_t)settings->level);
  ten_digester_add_u64(out, program.low);
  ten_digester_add_u64(out, program.high);
  const ten_digest key = ten_digester_result(out);
  free(out);
  return key;
}

/* Reads an entry into `all`, which is empty and stays so when it fails. */
static bool read_entry(const ten_digest *key, cpu_variants *all) {
  TEN_RECOVER_AS("reading the cache", false);
  ten_buf code = {0};
  if (!ten_cache_code_find(TEN_CACHE_SIZES, key, &code)) return false;
  char *data = aligned_alloc(ALIGN, (code.size / ALIGN + 1) * ALIGN);
  ten_status *status = NULL;
  if (data) {
    memcpy(data, code.data, code.size);
    status = cpu_variants_read(data, code.size, true, all);
  }
  const bool good = data && !status;
  if (status) cpu_variants_clear(all);
  ten_status_free(status);
  free(data);
  ten_buf_free(&code);
  return good;
}

ten_status *cpu_sizes_recall(const ten_backend *self, const ten_settings *settings, ten_hash128 program,
                             bool *out_found) {
  (void)self;
  *out_found = false;
  TEN_RECOVER("reading the cache");
  ten_buf path = {0};
  const bool on = !settings->transient && ten_cache_dir(&path);
  ten_buf_free(&path);
  if (!on) return NULL;
  ten_shared *shared = settings->shared;
  const ten_digest key = key_of(settings, program);
  ten_shared_lock(shared);
  cpu_variants *all = cpu_variants_of(shared);
  if (!all->recorded && !all->entries.count) {
    all->recorded = shared->keep_code = true;
    all->record = key;
    *out_found = read_entry(&key, all);
  }
  ten_shared_unlock(shared);
  return NULL;
}

void cpu_sizes_store(ten_shared *shared) {
  ten_buf code = {0};
  ten_shared_lock(shared);
  const cpu_variants *all = cpu_variants_of(shared);
  const ten_digest key = all->record;
  if (all->recorded) cpu_variants_write(all, &code);
  ten_shared_unlock(shared);
  if (code.size) ten_cache_code_store(TEN_CACHE_SIZES, &key, (ten_str){code.data, code.size});
  ten_buf_free(&code);
}
