#include "support/json.h"
#include "support/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *json, FILE *to)
{
    sink_init(&json->to, to);
    json->depth = json->flat = 0;
    json->first = true;
    json->after_key = false;
    json->shunned = '"';
}

// Copies a fixed number of blanks, which takes less time than a number that varies, and takes the
// excess back.
static void new_line(struct json *json)
{
    enum { MAX_INDENT = 64 };
    static const char blanks[] =
        "\n                                                                ";
    _Static_assert(sizeof blanks == MAX_INDENT + 2, "a line feed and the indentation");
    size_t indent = 2 * (size_t)json->depth, near = indent < MAX_INDENT ? indent : MAX_INDENT;
    memcpy(sink_take(&json->to, 1 + MAX_INDENT), blanks, 1 + MAX_INDENT);
    json->to.n -= MAX_INDENT - near;
    for (; near < indent; near++)
        sink_char(&json->to, ' ');
}

// Writes the comma and layout before the next key, or before the next value of an array.
static void separate(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->first)
        sink_bytes(&json->to, ", ", json->flat ? 2 : 1);
    if (json->depth && !json->flat)
        new_line(json);
    json->first = false;
}

static void open_level(struct json *json, char bracket, bool flat)
{
    separate(json);
    sink_char(&json->to, bracket);
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
    sink_char(&json->to, bracket);
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
        uint32_t min;
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
            point >= forms[length].min && point <= 0x10ffff && (point & 0x1ff800) != 0xd800;
        return valid ? length : 0;
    }
    return 0;
}

static void escape(struct sink *to, unsigned char c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        if (letters[i] == (char)c) {
            sink_char(to, '\\');
            sink_char(to, letters[i + 1]);
            return;
        }
    sink_text(to, "\\u00");
    sink_char(to, digits[c >> 4]);
    sink_char(to, digits[c & 15]);
}

static bool is_plain(unsigned char c, unsigned char shunned)
{
    return c >= ' ' && c < 127 && c != '"' && c != '\\' && c != shunned;
}

void json_text(struct json *json, const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    unsigned char shunned = (unsigned char)json->shunned;
    separate(json);
    sink_char(&json->to, '"');
    for (;;) {
        const char *plain = at;
        while (at < end && is_plain((unsigned char)*at, shunned))
            at++;
        sink_bytes(&json->to, plain, (size_t)(at - plain));
        if (at == end)
            break;
        size_t bytes = json_utf8_length(at, (size_t)(end - at));
        if (!bytes)
            sink_text(&json->to, "\\ufffd");
        else if (bytes == 1)
            escape(&json->to, (unsigned char)*at);
        else
            sink_bytes(&json->to, at, bytes);
        at += bytes ? bytes : 1;
    }
    sink_char(&json->to, '"');
}

void json_string(struct json *json, const char *text)
{
    if (text)
        json_text(json, text, strlen(text));
    else
        json_null(json);
}

// Keys are words of the program, which need no escaping.
void json_key(struct json *json, const char *key)
{
    size_t length = strlen(key);
    separate(json);
    char *to = sink_take(&json->to, length + 4);
    to[0] = '"';
    memcpy(to + 1, key, length);
    memcpy(to + 1 + length, "\": ", 3);
    json->after_key = true;
}

static void put_uint(struct json *json, uint64_t value)
{
    char text[NUMBER_TEXT];
    sink_bytes(&json->to, text, number_uint(text, value));
}

void json_int(struct json *json, int64_t value)
{
    separate(json);
    if (value < 0)
        sink_char(&json->to, '-');
    put_uint(json, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_uint(struct json *json, uint64_t value)
{
    separate(json);
    put_uint(json, value);
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
    sink_text(&json->to, text);
}

void json_bool(struct json *json, bool value)
{
    separate(json);
    sink_text(&json->to, value ? "true" : "false");
}

void json_null(struct json *json)
{
    separate(json);
    sink_text(&json->to, "null");
}

void json_done(struct json *json)
{
    sink_char(&json->to, '\n');
    sink_flush(&json->to);
}
