/* tls_out.h: what TLS writes, gathered: OpenSSL passes on one record of 16 KiB at a time, and a system call for each
 * costs as much as its encryption. For a socket that does not block. */
#ifndef TEN_SERVE_TLS_OUT_H
#define TEN_SERVE_TLS_OUT_H

#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>

/* As strong as anyone needs, the fastest first. */
#define TLS_SUITES "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

/* Lets `ssl` read from the socket itself, and write to it through a buffer. Until flushed, what was written may lie
 * there.
 */
bool tls_out_attach(SSL *ssl, int fd);
size_t tls_out_pending(const SSL *ssl); /* bytes that lie in the buffer; 0 for NULL */
/* Sends what lies there, as far as the socket takes it: how many bytes; -1: the connection is gone. */
long tls_out_flush(SSL *ssl);

#endif
