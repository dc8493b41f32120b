/* A library that has something, but nothing of PJRT. */
int not_a_plugin(void);
int not_a_plugin(void) { return 1; }
