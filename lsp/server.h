// The language server. It reads requests from one stream and writes replies to another, until
// `exit` or the end of the stream.
#pragma once
#include <stddef.h>
#include <stdio.h>

// Runs the server. An analysis may use `limit` bytes of memory; 0: no limit. Returns the exit code:
// 0 after `shutdown`, otherwise 1.
int server_run(FILE *from, FILE *to, size_t limit);

// Messages of the protocol: a header with the length, and a JSON document

// Returns the next message, or NULL at the end of the stream. NULL with *fault set means that the
// message was not JSON; reading may continue.
struct json_t *message_read(FILE *from, const char **fault);
// Writes the message and releases it.
void message_write(FILE *to, struct json_t *message);
