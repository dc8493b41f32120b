/* parser.h: what tree-sitter-python 0.23's generated parser needs beyond the header of Debian's tree-sitter 0.20. The
 * grammar's PyPI archive ships no headers; the language ABI (14) is the same, only these helpers are newer. */
#ifndef TEN_MIGRATE_GRAMMAR_PARSER_H
#define TEN_MIGRATE_GRAMMAR_PARSER_H

#include_next <tree_sitter/parser.h>

typedef struct {
  int32_t start, end; /* both inclusive; ranges are sorted */
} TSCharacterRange;

static inline bool set_contains(const TSCharacterRange *ranges, uint32_t count, int32_t c) {
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (c < ranges[middle].start)
      high = middle;
    else if (c > ranges[middle].end)
      low = middle + 1;
    else
      return true;
  }
  return false;
}

/* Pairs of (character, next state), tried in order. */
#define ADVANCE_MAP(...)                                                    \
  {                                                                         \
    static const uint16_t pairs[] = {__VA_ARGS__};                          \
    for (uint32_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair += 2) \
      if (pairs[pair] == lookahead) {                                       \
        state = pairs[pair + 1];                                            \
        goto next_state;                                                    \
      }                                                                     \
  }

/* The generator now writes precedence and production by position, formerly by designators. */
#undef REDUCE
#define REDUCE(symbol_name, children, precedence, production) \
  {                                                           \
    {                                                         \
      .reduce = {.type = TSParseActionTypeReduce,             \
                 .symbol = symbol_name,                       \
                 .child_count = children,                     \
                 .dynamic_precedence = precedence,            \
                 .production_id = production},                \
    }                                                         \
  }

#endif
