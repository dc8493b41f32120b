/* c_name.h: names that C and C++ take for a function. */
#ifndef TEN_BASE_C_NAME_H
#define TEN_BASE_C_NAME_H

/* Why it cannot be the name of a function that a header for C and C++ declares; NULL: it can. */
const char *ten_c_name_problem(const char *name);

#endif
