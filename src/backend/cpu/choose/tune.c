/* tune.c: measures alternatives for a program's matmuls and convolutions. They run in turns, so that a slowdown of the
 * machine affects all of them; the shortest time of each counts; slow ones are dropped early. An alternative replaces
 * the default if it then wins repeatedly. */
#include "backend/cpu/choose/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { WAYS_MAX = 24, ROUNDS = 7, PAIRS = 9, PAIRS_WON = 7 };
static const double far_behind = 1.5, worth_it = 0.97, tick = 2e-4 /* seconds: shorter runs are repeated */,
                    long_enough = 2 /* seconds for one shape */;

/* One shape, with memory to run it in. */
typedef struct bench {
  cpu_step_kind kind;
  union {
    cpu_gemm gemm;
    cpu_conv conv;
    ten_wgrad2d wgrad;
  };
  bool packs; /* matmuls: B is packed in every call */
  const ten_kernels *kernels;
  ten_pool *pool;
  unsigned threads;
  void *args[4]; /* owned: x, kernel or packed kernel, output, scratch */
  void *raw;     /* owned: the unpacked operand */
} bench;

typedef struct trial {
  cpu_way way;
  double best;
  bool out;
} trial;

static void spell_gemm(const cpu_gemm *g, ten_buf *key) {
  ten_buf_printf(key, "gemm %lld %lld %lld %lld %lld %lld %lld %d %d", (long long)g->m, (long long)g->n,
                 (long long)g->k, (long long)g->a_row, (long long)g->a_col, (long long)g->b_row, (long long)g->b_col,
                 g->bf16, g->narrow);
  for (uint32_t i = 0; i < g->batch_rank; i++)
    ten_buf_printf(key, " %lld %lld %lld", (long long)g->batch[i], (long long)g->a_batch[i], (long long)g->b_batch[i]);
}

static void spell_window(ten_buf *key, const char *kind, const int64_t *numbers, size_t count) {
  ten_buf_adds(key, kind);
  for (size_t i = 0; i < count; i++) ten_buf_printf(key, " %lld", (long long)numbers[i]);
}

#define WINDOW(c)                                                                                               \
  (const int64_t[]) {                                                                                           \
    (c)->n, (c)->h, (c)->w, (c)->ci, (c)->co, (c)->kh, (c)->kw, (c)->oh, (c)->ow, (c)->stride_h, (c)->stride_w, \
        (c)->pad_top, (c)->pad_left, (c)->dilation_h, (c)->dilation_w                                           \
  }
enum { WINDOW_COUNT = 15 };

static void spell_conv(const cpu_conv *c, ten_buf *key) {
  spell_window(key, c->bf16 ? "conv bf16" : c->exact ? "conv exact" : "conv", WINDOW(&c->conv), WINDOW_COUNT);
}
static void spell_wgrad(const ten_wgrad2d *w, ten_buf *key) { spell_window(key, "wgrad", WINDOW(w), WINDOW_COUNT); }

static void label_of(const bench *b, ten_buf *out) {
  if (b->kind == CPU_GEMM) {
    const cpu_gemm *g = &b->gemm;
    ten_buf_printf(out, "matmul %lld×%lld×%lld", (long long)g->m, (long long)g->k, (long long)g->n);
    if (g->batches > 1) ten_buf_printf(out, ", %lld of them", (long long)g->batches);
    if (g->bf16) ten_buf_adds(out, ", bf16");
    return;
  }
  const bool conv = b->kind == CPU_CONV;
  const ten_conv2d *c = &b->conv.conv;
  const ten_wgrad2d *w = &b->wgrad;
  ten_buf_printf(out, "%s %lld×%lld×%lld×%lld to %lld, %lld×%lld", conv ? "convolution" : "kernel gradient",
                 (long long)(conv ? c->n : w->n), (long long)(conv ? c->h : w->h), (long long)(conv ? c->w : w->w),
                 (long long)(conv ? c->ci : w->ci), (long long)(conv ? c->co : w->co),
                 (long long)(conv ? c->kh : w->kh), (long long)(conv ? c->kw : w->kw));
  if ((conv ? c->stride_h : w->stride_h) != 1)
    ten_buf_printf(out, ", stride %lld", (long long)(conv ? c->stride_h : w->stride_h));
  if (conv && b->conv.bf16) ten_buf_adds(out, ", bf16");
}

static void way_text(const bench *b, const cpu_way *way, ten_buf *out) {
  static const char *const names[] = {"one matmul", "patches", "Winograd F(4,3)", "Winograd F(2,3)"};
  const bool winograd = b->kind == CPU_CONV && way->algorithm >= TEN_CONV_WINOGRAD43;
  if (b->kind == CPU_CONV) ten_buf_adds(out, b->conv.bf16 ? "patches" : names[way->algorithm]);
  if (b->kind == CPU_GEMM) ten_buf_adds(out, way->algorithm > 0 ? "B where it lies" : "B packed");
  if (b->kind == CPU_WGRAD) ten_buf_adds(out, way->algorithm ? "Winograd F(3,4)" : "one matmul");
  if (way->block) ten_buf_printf(out, ", %lld %s a block", (long long)way->block, winograd ? "tiles" : "panels");
  if (way->alone) ten_buf_adds(out, ", one thread");
}

static void apply(bench *b, const cpu_way *way) {
  if (b->kind == CPU_GEMM) {
    b->gemm.direct = way->algorithm > 0;
    b->gemm.block = way->block;
    b->gemm.alone = way->alone;
  } else if (b->kind == CPU_CONV) {
    if (!b->conv.bf16) b->conv.conv.algorithm = way->algorithm;
    b->conv.conv.block = way->block;
    b->conv.alone = way->alone;
  } else {
    b->wgrad.winograd = way->algorithm != 0;
  }
}

/* Bytes spanned by A or B. */
static size_t span(const cpu_gemm *g, const int64_t *batch, int64_t rows, int64_t row, int64_t columns,
                   int64_t column) {
  int64_t last = (rows - 1) * row + (columns - 1) * column;
  for (uint32_t i = 0; i < g->batch_rank; i++) last += (g->batch[i] - 1) * batch[i];
  return (size_t)(last + 1) * sizeof(float);
}

static void *numbers(size_t bytes) {
  float *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!memory) return NULL;
  uint32_t seed = 1;
  for (size_t i = 0; i < bytes / sizeof *memory; i++) {
    seed = seed * 1664525u + 1013904223u;
    memory[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
  }
  return memory;
}

static size_t larger(size_t x, size_t y) { return x > y ? x : y; }

/* Allocates memory for any of the alternatives; false: not enough. */
static bool bench_open(bench *b, const trial *trials, size_t count) {
  size_t sizes[5] = {64, 64, 64, 64, 64}; /* x, packed, output, scratch, raw */
  for (size_t i = 0; i < count; i++) {
    apply(b, &trials[i].way);
    size_t packed = 0, scratch = 0;
    if (b->kind == CPU_GEMM) {
      const cpu_gemm *g = &b->gemm;
      packed = (size_t)(g->packed_size * g->batches) * sizeof(float);
      scratch = cpu_gemm_scratch(b->kernels, g, b->threads);
      sizes[0] = span(g, g->a_batch, g->m, g->a_row, g->k, g->a_col);
      sizes[4] = span(g, g->b_batch, g->k, g->b_row, g->n, g->b_col);
      sizes[2] = (size_t)(g->batches * g->m * g->n) * sizeof(float);
    } else if (b->kind == CPU_CONV) {
      const ten_conv2d *c = &b->conv.conv;
      packed = cpu_conv_packed_bytes(b->kernels, &b->conv);
      scratch = cpu_conv_scratch(b->kernels, &b->conv, b->threads);
      sizes[0] = (size_t)(c->n * c->h * c->w * c->ci) * sizeof(float);
      sizes[2] = (size_t)(c->n * c->oh * c->ow * c->co) * sizeof(float);
      sizes[4] = (size_t)(c->kh * c->kw * c->ci * c->co) * sizeof(float);
    } else {
      const ten_wgrad2d *w = &b->wgrad;
      scratch = b->kernels->wgrad_scratch(w, b->threads);
      sizes[0] = (size_t)(w->n * w->h * w->w * w->ci) * sizeof(float);
      packed = (size_t)(w->n * w->oh * w->ow * w->co) * sizeof(float);
      sizes[2] = (size_t)(w->kh * w->kw * w->ci * w->co) * sizeof(float);
    }
    sizes[1] = larger(sizes[1], packed);
    sizes[3] = larger(sizes[3], scratch);
  }
  bool good = true;
  for (size_t i = 0; i < 4; i++) good &= (b->args[i] = numbers(sizes[i])) != NULL;
  return (b->raw = numbers(sizes[4])) != NULL && good;
}

static void bench_close(bench *b) {
  for (size_t i = 0; i < 4; i++) free(b->args[i]);
  free(b->raw);
}

static void run_once(bench *b) {
  const exec_step step = {.kind = b->kind, .descriptor = &b->gemm};
  if (b->kind == CPU_GEMM) {
    void *pack[] = {b->raw, b->args[1]}, *args[] = {b->args[0], b->args[1], b->args[2], b->args[3]};
    if (b->gemm.direct)
      args[1] = b->raw;
    else if (b->packs)
      cpu_pack_b(pack, &b->gemm, 0, cpu_pack_b_units(&b->gemm), 0);
    cpu_gemm_run(b->kernels, &step, NULL, args, b->pool);
  } else if (b->kind == CPU_CONV) {
    cpu_conv_run(b->kernels, &step, b->args, b->pool);
  } else {
    cpu_wgrad_run(b->kernels, &step, b->args, b->pool);
  }
}

/* Seconds per run, averaged over several if one is too short to time. */
static double time_once(bench *b) {
  int runs = 1;
  for (;;) {
    const double start = ten_clock();
    for (int i = 0; i < runs; i++) run_once(b);
    const double taken = ten_clock() - start;
    if (taken >= tick || runs >= 256) return taken / runs;
    runs *= 4;
  }
}

static void race(bench *b, trial *trials, size_t count) {
  const double start = ten_clock();
  for (int round = 0; round <= ROUNDS && (round < 3 || ten_clock() - start < long_enough); round++) {
    double best = 1e30;
    for (size_t i = 0; i < count; i++) {
      if (trials[i].out) continue;
      apply(b, &trials[i].way);
      if (!round) run_once(b); /* warms up memory and threads */
      const double taken = time_once(b);
      if (taken < trials[i].best) trials[i].best = taken;
      if (trials[i].best < best) best = trials[i].best;
    }
    for (size_t i = 1; i < count; i++) trials[i].out |= trials[i].best > best * far_behind;
  }
}

/* Whether the second is repeatedly faster than the first: load on the machine only makes single times longer. */
static bool holds(bench *b, trial *usual, trial *other) {
  int won = 0;
  for (int i = 0; i < PAIRS; i++) {
    double seconds[2];
    for (int k = 0; k < 2; k++) {
      trial *t = (k == i % 2) ? usual : other;
      apply(b, &t->way);
      const double taken = time_once(b);
      seconds[t == other] = taken;
      if (taken < t->best) t->best = taken;
    }
    won += seconds[1] < seconds[0];
  }
  return won >= PAIRS_WON && other->best < usual->best * worth_it;
}

static size_t add_way(trial *trials, size_t count, cpu_way way) {
  for (size_t i = 0; i < count; i++)
    if (!memcmp(&trials[i].way, &way, sizeof way)) return count;
  if (count == WAYS_MAX) return count;
  trials[count] = (trial){.best = 1e30};
  memcpy(&trials[count].way, &way, sizeof way);
  return count + 1;
}

static cpu_way way_of(int algorithm, int64_t block, bool alone) {
  cpu_way way;
  memset(&way, 0, sizeof way); /* compared with memcmp */
  way.algorithm = algorithm;
  way.block = block;
  way.alone = alone;
  return way;
}

/* The default first. */
static size_t list_ways(const bench *b, bool exact, trial *trials) {
  static const int64_t tiles[] = {48, 96, 192, 384}, panels[] = {4, 8, 16, 32};
  const bool threads = b->threads > 1;
  size_t count = 0;
  if (b->kind == CPU_WGRAD) {
    count = add_way(trials, count, way_of(b->wgrad.winograd, 0, false));
    if (!exact && b->kernels->wgrad_can_winograd(&b->wgrad)) count = add_way(trials, count, way_of(1, 0, false));
    return add_way(trials, count, way_of(0, 0, false));
  }
  const int usual = b->kind == CPU_CONV ? b->conv.conv.algorithm : b->gemm.direct ? 1 : -1;
  const bool bf16 = b->kind == CPU_CONV ? b->conv.bf16 : b->gemm.bf16;
  count = add_way(trials, count, way_of(usual, 0, false));
  if (threads) count = add_way(trials, count, way_of(usual, 0, true));
  if (bf16) return count;
  for (int a = TEN_CONV_GEMM; b->kind == CPU_CONV && a <= TEN_CONV_WINOGRAD23; a++) {
    const bool winograd = a >= TEN_CONV_WINOGRAD43;
    if ((winograd && exact) || !b->kernels->conv_can(&b->conv.conv, (ten_conv_algorithm)a)) continue;
    count = add_way(trials, count, way_of(a, 0, false));
    for (size_t i = 0; i < 4; i++) count = add_way(trials, count, way_of(a, winograd ? tiles[i] : panels[i], false));
  }
  for (int way = -1; b->kind == CPU_GEMM && way <= 1; way += 2) {
    if (way != usual && !b->packs && !b->gemm.direct) continue; /* packed when the program is loaded */
    count = add_way(trials, count, way_of(way, 0, false));
    for (size_t i = 0; i < 4; i++) count = add_way(trials, count, way_of(way, panels[i], false));
    if (threads) count = add_way(trials, count, way_of(way, 0, true));
  }
  return count;
}

static void measure(bench *b, bool exact, cpu_choice *choice) {
  trial trials[WAYS_MAX];
  const size_t count = list_ways(b, exact, trials);
  choice->was = choice->now = trials[0].way;
  size_t best = 0;
  if (bench_open(b, trials, count)) {
    race(b, trials, count);
    for (size_t i = 1; i < count; i++)
      if (trials[i].best < trials[best].best) best = i;
    if (best && !holds(b, &trials[0], &trials[best])) best = 0;
  }
  bench_close(b);
  choice->now = trials[best].way;
  choice->was_seconds = trials[0].best;
  choice->seconds = trials[best].best;
  choice->other_bits = choice->now.algorithm != choice->was.algorithm;
  ten_buf was = {0}, now = {0}, label = {0};
  way_text(b, &choice->was, &was);
  way_text(b, &choice->now, &now);
  label_of(b, &label);
  choice->was_text = ten_buf_take(&was);
  choice->now_text = ten_buf_take(&now);
  choice->label = ten_buf_take(&label);
}

static cpu_choice *find(const cpu_tuning *tuning, ten_buf *key) {
  cpu_choice *found = NULL;
  for (size_t i = 0; i < tuning->choices.count && !found; i++)
    if (!strcmp(tuning->choices.data[i].key, key->data)) found = &tuning->choices.data[i];
  return found;
}

static void tune_step(const cpu_plan *plan, const cpu_step *step, bool packs, ten_pool *pool, cpu_tuning *tuning) {
  bench b = {.kind = step->kind,
             .packs = packs,
             .kernels = ten_kernels_best(),
             .pool = pool,
             .threads = ten_pool_threads(pool)};
  ten_buf key = {0};
  if (step->kind == CPU_GEMM) {
    b.gemm = *(const cpu_gemm *)step->descriptor;
    b.gemm.epilogue_args = 0;
    b.gemm.also_count = 0;
    b.gemm.tile = false;
    b.gemm.outputs = 1;
    b.gemm.kernels = b.kernels;
    spell_gemm(&b.gemm, &key);
  } else if (step->kind == CPU_CONV) {
    b.conv = *(const cpu_conv *)step->descriptor;
    b.conv.epilogue_args = 0;
    b.conv.conv.also_count = 0;
    b.conv.tile = false;
    spell_conv(&b.conv, &key);
  } else {
    b.wgrad = *(const ten_wgrad2d *)step->descriptor;
    spell_wgrad(&b.wgrad, &key);
  }
  cpu_choice *known = find(tuning, &key);
  if (known) {
    known->uses++;
    ten_buf_free(&key);
    return;
  }
  cpu_choice choice = {.key = ten_buf_take(&key), .uses = 1};
  measure(&b, plan->exact_conv || (step->kind == CPU_CONV && b.conv.exact), &choice);
  ten_vec_push(&tuning->choices, choice);
}

static void tune_body(const cpu_plan *plan, const cpu_body *body, ten_pool *pool, cpu_tuning *tuning) {
  for (size_t i = 0; i < body->steps.count; i++) {
    const cpu_step *step = body->steps.data[i];
    const bool packs =
        i && body->steps.data[i - 1]->kind == CPU_PACK_B && body->steps.data[i - 1]->descriptor == step->descriptor;
    const bool groups =
        (step->kind == CPU_CONV && ((const cpu_conv *)step->descriptor)->conv.groups > 1) ||
        (step->kind == CPU_WGRAD && ((const ten_wgrad2d *)step->descriptor)->groups > 1); /* no alternatives */
    if ((step->kind == CPU_GEMM || step->kind == CPU_CONV || step->kind == CPU_WGRAD) && !groups)
      tune_step(plan, step, packs, pool, tuning);
    for (uint32_t k = 0; k < step->body_count; k++) tune_body(plan, &step->bodies[k], pool, tuning);
  }
}

void cpu_tune(const cpu_plan *plan, cpu_tuning *out_tuning) {
  const double start = ten_clock();
  ten_pool *pool = plan->threads > 1 ? ten_pool_create(plan->threads) : NULL;
  tune_body(plan, &plan->body, pool, out_tuning);
  ten_pool_destroy(pool);
  out_tuning->seconds = ten_clock() - start;
}

void cpu_tuning_free(cpu_tuning *tuning) {
  for (size_t i = 0; i < tuning->choices.count; i++) {
    cpu_choice *choice = &tuning->choices.data[i];
    free(choice->key);
    free(choice->label);
    free(choice->was_text);
    free(choice->now_text);
  }
  ten_vec_free(&tuning->choices);
}

void cpu_tuning_report(cpu_tuning *tuning, ten_tuning *out_report) {
  out_report->seconds = tuning->seconds;
  out_report->loops = tuning->loops;
  out_report->single_thread_loops = tuning->alone;
  for (size_t i = 0; i < tuning->choices.count; i++) {
    cpu_choice *choice = &tuning->choices.data[i];
    ten_vec_push(&out_report->rows, (ten_tuning_row){.kernel = choice->label,
                                                     .choice = choice->now_text,
                                                     .default_choice = choice->was_text,
                                                     .uses = choice->uses,
                                                     .seconds = choice->seconds,
                                                     .default_seconds = choice->was_seconds,
                                                     .reorders_sums = choice->other_bits});
    choice->label = choice->now_text = choice->was_text = NULL;
  }
}

void cpu_tuned_gemm(const cpu_tuning *tuning, cpu_gemm *g) {
  ten_buf key = {0};
  spell_gemm(g, &key);
  const cpu_choice *choice = find(tuning, &key);
  if (choice) {
    g->wish = (int8_t)choice->now.algorithm;
    g->block = choice->now.block;
    g->alone = choice->now.alone;
  }
  ten_buf_free(&key);
}

void cpu_tuned_conv(const cpu_tuning *tuning, cpu_conv *c) {
  ten_buf key = {0};
  spell_conv(c, &key);
  const cpu_choice *choice = find(tuning, &key);
  if (choice) {
    if (!c->bf16) c->conv.algorithm = choice->now.algorithm;
    c->conv.block = choice->now.block;
    c->alone = choice->now.alone;
  }
  ten_buf_free(&key);
}

void cpu_tuned_wgrad(const cpu_tuning *tuning, ten_wgrad2d *w) {
  ten_buf key = {0};
  spell_wgrad(w, &key);
  const cpu_choice *choice = find(tuning, &key);
  if (choice) w->winograd = choice->now.algorithm != 0;
  ten_buf_free(&key);
}
