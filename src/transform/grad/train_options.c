/* train_options.c: parses optimizers and schedules. */
#include <stdlib.h>
#include <string.h>

#include "transform/grad/train.h"

static const char *const optimizer_names[] = {
    [TEN_OPTIMIZER_SGD] = "sgd",     [TEN_OPTIMIZER_MOMENTUM] = "momentum", [TEN_OPTIMIZER_ADAM] = "adam",
    [TEN_OPTIMIZER_ADAMW] = "adamw", [TEN_OPTIMIZER_LAMB] = "lamb",         [TEN_OPTIMIZER_ADAFACTOR] = "adafactor",
};

ten_train_options ten_train_defaults(ten_optimizer optimizer) {
  ten_train_options o = {.optimizer = optimizer, .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
  if (optimizer == TEN_OPTIMIZER_MOMENTUM) o.momentum = 0.9;
  if (optimizer == TEN_OPTIMIZER_ADAMW) o.weight_decay = 0.01;
  if (optimizer == TEN_OPTIMIZER_LAMB) o.epsilon = 1e-6;
  if (optimizer == TEN_OPTIMIZER_ADAFACTOR) o.lr = 1e-2;
  return o;
}

static bool number(ten_str text, double *out) {
  char copy[64], *end;
  if (!text.size || text.size >= sizeof copy) return false;
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  *out = strtod(copy, &end);
  return !*end;
}

/* Splits `text` at the first `mark`: returns the part before it, leaves the part after. */
static ten_str cut(ten_str *text, char mark) {
  const char *at = memchr(text->data, mark, text->size);
  const ten_str head = {text->data, at ? (size_t)(at - text->data) : text->size};
  text->data = at ? at + 1 : text->data + text->size;
  text->size = at ? text->size - head.size - 1 : 0;
  return head;
}

static ten_status *set_option(ten_train_options *o, ten_str name, ten_str value) {
  const struct {
    const char *name;
    double *to, low, high;
  } known[] = {{"lr", &o->lr, 0, 1e30},
               {"momentum", &o->momentum, 0, 1},
               {"dampening", &o->dampening, 0, 1},
               {"weight_decay", &o->weight_decay, 0, 1e30},
               {"beta1", &o->beta1, 0, 1},
               {"beta2", &o->beta2, 0, 1},
               {"eps", &o->epsilon, 0, 1e30}};
  if (ten_str_is(name, "nesterov")) {
    o->nesterov = !value.size || ten_str_is(value, "true") || ten_str_is(value, "1");
    return NULL;
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!ten_str_is(name, known[i].name)) continue;
    double parsed;
    if (!number(value, &parsed) || !(parsed >= known[i].low && parsed <= known[i].high))
      return ten_error(TEN_INVALID, "%s: '%.*s' is not a number from %g to %g", known[i].name, TEN_FMT(value),
                       known[i].low, known[i].high);
    *known[i].to = parsed;
    return NULL;
  }
  return ten_error(
      TEN_INVALID,
      "unknown option '%.*s' of an optimizer; use lr, momentum, dampening, nesterov, weight_decay, beta1, beta2, eps",
      TEN_FMT(name));
}

ten_status *ten_train_parse_optimizer(const char *text, ten_train_options *out_options) {
  ten_str rest = ten_str_of(text);
  const ten_str name = cut(&rest, ',');
  size_t which = 0;
  const size_t count = sizeof optimizer_names / sizeof *optimizer_names;
  while (which < count && !ten_str_is(name, optimizer_names[which])) which++;
  if (which == count)
    return ten_error(TEN_INVALID, "unknown optimizer '%.*s'; use sgd, momentum, adam, adamw, lamb, adafactor",
                     TEN_FMT(name));
  const ten_train_options before = *out_options;
  *out_options = ten_train_defaults((ten_optimizer)which);
  out_options->loss = before.loss;
  out_options->loss_program = before.loss_program;
  out_options->clip = before.clip;
  out_options->schedule = before.schedule;
  out_options->warmup = before.warmup;
  out_options->total = before.total;
  out_options->accumulate = before.accumulate;
  while (rest.size) {
    ten_str value = cut(&rest, ',');
    const ten_str key = cut(&value, '=');
    TEN_TRY(set_option(out_options, key, value));
  }
  if (out_options->optimizer == TEN_OPTIMIZER_SGD && out_options->momentum > 0)
    out_options->optimizer = TEN_OPTIMIZER_MOMENTUM;
  return NULL;
}

ten_status *ten_train_parse_schedule(const char *text, ten_train_options *options) {
  ten_str rest = ten_str_of(text), total = cut(&rest, ',');
  const ten_str name = cut(&total, ':');
  double steps = 0;
  if (ten_str_is(name, "constant"))
    options->schedule = TEN_SCHEDULE_CONSTANT;
  else if (ten_str_is(name, "linear"))
    options->schedule = TEN_SCHEDULE_LINEAR;
  else if (ten_str_is(name, "cosine"))
    options->schedule = TEN_SCHEDULE_COSINE;
  else
    return ten_error(TEN_INVALID, "unknown schedule '%.*s'; use constant, linear:STEPS, cosine:STEPS", TEN_FMT(name));
  if (options->schedule != TEN_SCHEDULE_CONSTANT && (!number(total, &steps) || steps < 1 || steps > 1e15))
    return ten_error(TEN_INVALID, "schedule %.*s needs its number of steps: %.*s:1000", TEN_FMT(name), TEN_FMT(name));
  options->total = (int64_t)steps;
  while (rest.size) {
    ten_str value = cut(&rest, ',');
    const ten_str key = cut(&value, '=');
    if (!ten_str_is(key, "warmup") || !number(value, &steps) || steps < 0 || steps > 1e15)
      return ten_error(TEN_INVALID, "schedule: '%.*s' is not warmup=STEPS", TEN_FMT(key));
    options->warmup = (int64_t)steps;
  }
  return NULL;
}
