/* c_name.h: names that are valid for a function in C and C++. */
#ifndef TEN_BASE_C_NAME_H
#define TEN_BASE_C_NAME_H

/* Why the name cannot be declared as a function in a header for C and C++; NULL: it can. */
const char *ten_c_name_problem(const char *name);

#endif
