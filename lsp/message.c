#include "lsp/server.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_HEAD = 4096 };
#define MAX_LENGTH (UINT64_C(1) << 31)

// Reads the header lines. Returns false at the end of the stream. *length is 0 if it is missing.
static bool read_head(FILE *from, uint64_t *length)
{
    static const char name[] = "Content-Length:";
    char line[MAX_HEAD];
    *length = 0;
    while (fgets(line, sizeof line, from)) {
        if (!strncasecmp(line, name, sizeof name - 1))
            *length = strtoull(line + sizeof name - 1, NULL, 10);
        if (!strcmp(line, "\r\n") || !strcmp(line, "\n"))
            return true;
    }
    return false;
}

json_t *message_read(FILE *from, const char **fault)
{
    uint64_t length;
    *fault = NULL;
    if (!read_head(from, &length))
        return NULL;
    char *text = length && length < MAX_LENGTH ? malloc(length) : NULL;
    if (!text || fread(text, 1, length, from) != length) {
        free(text);
        return NULL;
    }
    json_error_t error;
    json_t *message = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    free(text);
    if (!message)
        *fault = "the message is not JSON";
    return message;
}

void message_write(FILE *to, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    if (text)
        fprintf(to, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(to);
    free(text);
    json_decref(message);
}
