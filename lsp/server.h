// The language server. It reads requests from one stream and writes replies to another, until
// `exit` or the end of the stream.
#pragma once
#include <stddef.h>
#include <stdio.h>

// Runs the server. An analysis may use `limit` bytes of memory; 0: no limit. Returns the exit code:
// 0 after `shutdown`, otherwise 1.
int server_run(FILE *from, FILE *to, size_t limit);
