// Messages of the protocol: a header with the length, and a JSON document.
#pragma once
#include <jansson.h>
#include <stdio.h>

// Returns the next message, or NULL at the end of the stream. NULL with *fault set means that the
// message was not JSON; reading may continue.
json_t *message_read(FILE *from, const char **fault);
// Writes the message and releases it.
void message_write(FILE *to, json_t *message);
