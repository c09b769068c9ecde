#include "support/json.h"
#include "support/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *json, FILE *to)
{
    *json = (struct json){.to = to, .first = true};
}

static void new_line(struct json *json)
{
    putc('\n', json->to);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->to);
}

// Comma and layout before the next key, or the next value of an array.
static void separate(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->first)
        fputs(json->flat ? ", " : ",", json->to);
    if (json->depth && !json->flat)
        new_line(json);
    json->first = false;
}

static void open_level(struct json *json, char bracket, bool flat)
{
    separate(json);
    putc(bracket, json->to);
    json->depth++;
    json->flat += flat || json->flat;
    json->first = true;
}

static void close_level(struct json *json, char bracket)
{
    json->depth--;
    if (!json->first && !json->flat)
        new_line(json);
    json->flat -= json->flat > 0;
    putc(bracket, json->to);
    json->first = false;
}

void json_object(struct json *json)
{
    open_level(json, '{', false);
}

void json_object_flat(struct json *json)
{
    open_level(json, '{', true);
}

void json_end_object(struct json *json)
{
    close_level(json, '}');
}

void json_array(struct json *json)
{
    open_level(json, '[', false);
}

void json_array_flat(struct json *json)
{
    open_level(json, '[', true);
}

void json_end_array(struct json *json)
{
    close_level(json, ']');
}

size_t json_utf8_length(const char *text, size_t left)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {
        {0, 0, 0}, {0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t length = 1; length <= 4 && length <= left; length++) {
        unsigned char first = (unsigned char)text[0];
        if ((first & forms[length].mask) != forms[length].lead)
            continue;
        uint32_t point = first & (unsigned char)~forms[length].mask;
        for (size_t i = 1; i < length; i++) {
            if ((text[i] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (text[i] & 0x3f);
        }
        bool valid =
            point >= forms[length].least && point <= 0x10ffff && (point & 0x1ff800) != 0xd800;
        return valid ? length : 0;
    }
    return 0;
}

static void escape(FILE *to, unsigned char c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        if (letters[i] == (char)c) {
            fprintf(to, "\\%c", letters[i + 1]);
            return;
        }
    fprintf(to, "\\u%04x", c);
}

void json_text(struct json *json, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    separate(json);
    putc('"', json->to);
    while (at < end) {
        size_t bytes = json_utf8_length((const char *)at, (size_t)(end - at));
        if (!bytes)
            fputs("\\ufffd", json->to);
        else if (*at < ' ' || *at == '"' || *at == '\\' || *at == 127)
            escape(json->to, *at);
        else
            fwrite(at, 1, bytes, json->to);
        at += bytes ? bytes : 1;
    }
    putc('"', json->to);
}

void json_string(struct json *json, const char *text)
{
    if (text)
        json_text(json, text, strlen(text));
    else
        json_null(json);
}

void json_key(struct json *json, const char *key)
{
    json_string(json, key);
    fputs(": ", json->to);
    json->after_key = true;
}

void json_int(struct json *json, int64_t value)
{
    separate(json);
    fprintf(json->to, "%lld", (long long)value);
}

void json_uint(struct json *json, uint64_t value)
{
    separate(json);
    fprintf(json->to, "%llu", (unsigned long long)value);
}

void json_double(struct json *json, double value)
{
    char text[NUMBER_TEXT];
    if (!isfinite(value)) {
        json_null(json);
        return;
    }
    number_shortest(text, value);
    separate(json);
    fputs(text, json->to);
}

void json_bool(struct json *json, bool value)
{
    separate(json);
    fputs(value ? "true" : "false", json->to);
}

void json_null(struct json *json)
{
    separate(json);
    fputs("null", json->to);
}

void json_done(struct json *json)
{
    putc('\n', json->to);
}
