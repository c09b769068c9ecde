// The language server: requests from one stream, answers to another, until `exit` or the end.
#pragma once
#include <stddef.h>
#include <stdio.h>

// `limit`: bytes that an analysis may need; 0: no limit. Returns the exit code: 0 after `shutdown`,
// else 1.
int server_run(FILE *from, FILE *to, size_t limit);
