/* c_name.c: keywords of C and C++. */
#include "base/c_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Keywords of C and C++, and `main`, each between spaces. */
static const char words[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t "
    "class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export extern false float for friend "
    "goto if inline int long main mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq ";

const char *ten_c_name_problem(const char *name) {
  char word[64];
  bool identifier = *name && !isdigit((unsigned char)*name);
  for (const char *at = name; *at; at++) identifier &= isalnum((unsigned char)*at) || *at == '_';
  if (!identifier) return "it is not an identifier (letters, digits and _, no digit first)";
  snprintf(word, sizeof word, " %.61s ", name);
  if (strstr(words, word)) return "it is a word of C or C++";
  if (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]))) return "such names are the compiler's";
  return NULL;
}
