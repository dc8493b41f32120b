/* known.h: expectations of public test programs that are known to be wrong. */
#ifndef TEN_CLI_KNOWN_H
#define TEN_CLI_KNOWN_H

/* Why the expectations of the program in the file of that name are wrong; NULL for any other. */
const char *cli_known_wrong(const char *path);

#endif
