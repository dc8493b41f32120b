/* admit.c: authentication, and refusals before the body is received. */
#include <ctype.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "serve/server.h"

/* "requests=100 running=4 arrays=512": per second, concurrently, MiB. */
static ten_status *quotas_read(serve_token *token, ten_str text, const char *path, size_t line) {
  while (text.size) {
    if (isspace((unsigned char)*text.data)) {
      text.data++, text.size--;
      continue;
    }
    size_t size = 0, equals = 0;
    while (size < text.size && !isspace((unsigned char)text.data[size])) {
      if (text.data[size] == '=' && !equals) equals = size;
      size++;
    }
    const ten_str name = {text.data, equals}, value = {text.data + equals + 1, size - equals - 1};
    uint64_t number;
    if (!equals || !http_number(value, &number) || !number || number > 1 << 30)
      return ten_error(TEN_INVALID, "%s:%zu: a quota is 'requests=N', 'running=N' or 'arrays=MIB', N at least 1", path,
                       line);
    if (ten_str_is(name, "requests"))
      token->rate_most = number;
    else if (ten_str_is(name, "running"))
      token->running_most = number;
    else if (ten_str_is(name, "arrays"))
      token->arrays_most = (size_t)number << 20;
    else
      return ten_error(TEN_INVALID, "%s:%zu: no quota '%.*s'; use requests, running or arrays", path, line,
                       TEN_FMT(name));
    text.data += size, text.size -= size;
  }
  token->allowance = (double)token->rate_most;
  return NULL;
}

ten_status *serve_tokens_read(serve_server *server, const char *path) {
  ten_file file;
  struct stat about;
  TEN_TRY(ten_file_map(path, &file));
  ten_status *status = NULL;
  if (!stat(path, &about) && S_ISREG(about.st_mode) && about.st_mode & (S_IRWXO | S_IWGRP))
    status = ten_error(TEN_INVALID, "%s can be read or written by others; 'chmod 600 %s' makes it yours", path, path);
  const char *at = file.data, *end = file.data + file.size;
  for (size_t line = 1; at < end && !status; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    ten_str token = {at, (size_t)((stop ? stop : end) - at)};
    at = stop ? stop + 1 : end;
    while (token.size && isspace((unsigned char)token.data[token.size - 1])) token.size--;
    if (!token.size || *token.data == '#') continue;
    ten_str quotas = {0};
    for (size_t i = 0; i < token.size && !quotas.data; i++)
      if (isspace((unsigned char)token.data[i])) quotas = (ten_str){token.data + i, token.size - i}, token.size = i;
    if (token.size < 16)
      status = ten_error(TEN_INVALID, "%s:%zu: a token must have 16 characters at least", path, line);
    else if (server->token_count == SERVE_TOKENS_MOST)
      status = ten_error(TEN_LIMIT, "%s: at most %d tokens", path, SERVE_TOKENS_MOST);
    else {
      serve_token *made = &server->tokens[server->token_count++];
      SHA256((const unsigned char *)token.data, token.size, made->digest);
      status = quotas_read(made, quotas, path, line);
    }
  }
  ten_file_unmap(&file);
  if (!status && !server->token_count) status = ten_error(TEN_INVALID, "%s has no token", path);
  return status;
}

/* The number of the token, from 1; 0: none. All are compared, each in constant time. */
static unsigned token_find(const serve_server *server, ten_str authorization) {
  unsigned char digest[SERVE_DIGEST];
  const ten_str scheme = TEN_STR("Bearer ");
  if (authorization.size <= scheme.size || strncasecmp(authorization.data, scheme.data, scheme.size) != 0) return 0;
  SHA256((const unsigned char *)authorization.data + scheme.size, authorization.size - scheme.size, digest);
  unsigned found = 0;
  for (unsigned i = 0; i < server->token_count; i++)
    if (!CRYPTO_memcmp(digest, server->tokens[i].digest, SERVE_DIGEST)) found = i + 1;
  return found;
}

/* Probes of a load balancer have no token, and learn only whether the server is up. */
static bool is_open(const serve_exchange *exchange) {
  return !exchange->grpc && (!strcmp(exchange->path, "/v2/health/live") || !strcmp(exchange->path, "/v2/health/ready"));
}

/* Whether the token's limits allow the request: true, and the request is counted. */
static bool within_quotas(serve_token *token, serve_exchange *exchange) {
  const double now = ten_clock(), most = (double)token->rate_most;
  if (token->rate_most) {
    token->allowance += (now - token->since) * most;
    if (token->allowance > most) token->allowance = most;
    token->since = now;
  }
  if (token->rate_most && token->allowance < 1)
    exchange->why = "this token's requests of a second are used up; try again later";
  else if (token->running_most && token->running >= token->running_most)
    exchange->why = "as many requests of this token are in progress as it may have; try again later";
  if (exchange->why) {
    token->refused++;
    return false;
  }
  token->allowance -= 1;
  token->running++;
  token->requests++;
  exchange->counted = true;
  return true;
}

int serve_admit(serve_exchange *exchange, uint64_t length) {
  serve_server *server = exchange->server;
  if (server->token_count && !is_open(exchange)) {
    exchange->token = token_find(server, exchange->fields.authorization);
    if (!exchange->token) {
      server->metrics.unauthorized++;
      return 401;
    }
    if (!within_quotas(&server->tokens[exchange->token - 1], exchange)) return 429;
  }
  if (length > (uint64_t)server->options.max_body << 20) return 413;
  const ten_str encoding = exchange->fields.content_encoding;
  if (encoding.size && !ten_str_is(encoding, "identity")) return 415;
  return 0;
}
