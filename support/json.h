// Writes JSON as a stream, without building a document in memory. Strings are escaped, and invalid
// UTF-8 is written as U+FFFD. Doubles are written so that they read back as the same value.
// jansson, which reads JSON here, writes only documents in memory.
#pragma once
#include "support/sink.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    struct sink to;
    int depth;
    int flat;   // >0: inside an object or array that stays on one line
    bool first; // nothing has been written at this level yet
    bool after_key;
    char shunned; // additional character to escape: '<' for JSON in HTML
};

// Starts a document on a stream.
void json_init(struct json *json, FILE *to);
// Write the parts of the document in order. Members need a key first. A flat object or array is
// written on one line with all that it contains.
void json_object(struct json *json);      // {
void json_object_flat(struct json *json); // { with all members on one line
void json_end_object(struct json *json);
void json_array(struct json *json);
void json_array_flat(struct json *json);
void json_end_array(struct json *json);
void json_key(struct json *json, const char *key);
void json_string(struct json *json, const char *text); // NULL writes null
void json_text(struct json *json, const char *text, size_t length);
void json_int(struct json *json, int64_t value);
void json_uint(struct json *json, uint64_t value);
void json_double(struct json *json, double value); // not finite: null
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
// json_member_TYPE writes a key and its value.
#define JSON_MEMBER(name, type)                                                                    \
    static inline void json_member_##name(struct json *json, const char *key, type value)          \
    {                                                                                              \
        json_key(json, key);                                                                       \
        json_##name(json, value);                                                                  \
    }
JSON_MEMBER(string, const char *)
JSON_MEMBER(int, int64_t)
JSON_MEMBER(uint, uint64_t)
JSON_MEMBER(double, double)
JSON_MEMBER(bool, bool)
#undef JSON_MEMBER
// Ends the document with a newline and flushes it to the stream.
void json_done(struct json *json);

// Returns the length of the valid UTF-8 sequence at `text`, or 0.
size_t json_utf8_length(const char *text, size_t left);
