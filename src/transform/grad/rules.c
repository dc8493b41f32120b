/* rules.c: one row per op. An op without a row has no gradient; the error gives its name and line. */
#include "transform/grad/rules.h"

const ten_vjp_rule ten_vjp_rules[TEN_OP_COUNT] = {
#define ROW(code, rule) [TEN_OP_##code] = ten_rule_##rule,
    TEN_VJP_RULES(ROW)
#undef ROW
};
