/* rules.c: one row an op. An op without a row has no gradient, and says so with its name and line. */
#include "transform/grad/rules.h"

const ten_vjp_rule ten_vjp_rules[TEN_OP_COUNT] = {
#define ROW(code, rule) [TEN_OP_##code] = ten_rule_##rule,
    TEN_VJP_RULES(ROW)
#undef ROW
};
