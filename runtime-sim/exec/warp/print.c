// vprintf: the format, and a buffer of arguments, each aligned to its size: 4 bytes for int, 8 for
// all others. Lanes print in ascending order.
#include "runtime-sim/exec/warp/builtin.h"
#include "runtime-sim/exec/warp/cta.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 4096, PIECE = 8192, SPEC = 64 };

struct printing {
    struct warp *warp;
    uint32_t lane;
    uint64_t arguments; // address of the next argument
    int count;          // number of conversions so far
    const char *error;
};

static void put(const struct printing *p, const char *text, size_t length)
{
    const struct launch *launch = p->warp->cta->launch;
    if (launch->print)
        launch->print(launch->print_context, text, length);
}

static uint64_t next_argument(struct printing *p, uint32_t bytes)
{
    uint64_t value = 0;
    p->arguments = align_up(p->arguments, bytes);
    const uint8_t *at = guest_at(p->warp, p->lane, p->arguments, bytes);
    if (at)
        memcpy(&value, at, bytes);
    else
        p->error = "printf reads an argument outside of all allocations";
    p->arguments += bytes;
    return value;
}

// Reads one conversion: flags, width, precision, length, letter. Returns its length in the format.
static size_t read_conversion(struct printing *p, const char *at, char *spec, uint32_t *bytes)
{
    size_t length = 1, n = 1;
    spec[0] = '%';
    *bytes = 4;
    for (; at[length] && strchr("-+ #0123456789.*hlLzjt", at[length]); length++) {
        if (strchr("hlLzjt", at[length]))
            *bytes = at[length] == 'h' ? (*bytes + 1) / 2 : at[length] == 'L' ? *bytes : 8;
        else if (n > SPEC - 16) // excessively long; ignoring the rest uses no argument
            continue;
        else if (at[length] == '*')
            n += (size_t)snprintf(spec + n, 12, "%d", (int)next_argument(p, 4));
        else
            spec[n++] = at[length];
    }
    spec[n] = 0;
    return length;
}

static int print_number(struct printing *p, char *text, char *spec, char letter, uint32_t bytes)
{
    size_t n = strlen(spec);
    double real;
    uint64_t bits;
    if (strchr("eEfFgGaA", letter)) {
        bits = next_argument(p, 8);
        memcpy(&real, &bits, sizeof real);
        spec[n] = letter;
        spec[n + 1] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        return snprintf(text, PIECE, spec, real);
    }
    uint32_t unused = 64 - 8 * bytes;
    bits = next_argument(p, bytes < 4 ? 4 : bytes) << unused;
    bits = letter == 'd' || letter == 'i' ? (uint64_t)((int64_t)bits >> unused) : bits >> unused;
    strcpy(spec + n, "ll");
    spec[n + 2] = letter;
    spec[n + 3] = 0;
    return snprintf(text, PIECE, spec, (unsigned long long)bits);
}

static int print_string(struct printing *p, char *text, char *spec, char letter)
{
    char string[FORMAT];
    size_t n = strlen(spec);
    spec[n] = letter;
    spec[n + 1] = 0;
    if (letter == 'c')
        return snprintf(text, PIECE, spec, (int)next_argument(p, 4));
    uint64_t address = next_argument(p, 8);
    if (letter == 'p')
        return snprintf(text, PIECE, spec, (void *)(uintptr_t)address);
    if (!address)
        strcpy(string, "(null)");
    else if (!guest_string(p->warp, p->lane, address, string, sizeof string))
        p->error = "printf reads a string outside of all allocations";
    return snprintf(text, PIECE, spec, string);
#pragma GCC diagnostic pop
}

static size_t print_conversion(struct printing *p, const char *at)
{
    char spec[SPEC], text[PIECE];
    uint32_t bytes;
    size_t length = read_conversion(p, at, spec, &bytes);
    char letter = at[length];
    int printed = 0;
    if (letter == '%') {
        put(p, "%", 1);
    } else if (letter && strchr("diouxXeEfFgGaA", letter)) {
        printed = print_number(p, text, spec, letter, bytes);
        p->count++;
    } else if (letter && strchr("csp", letter)) {
        printed = print_string(p, text, spec, letter);
        p->count++;
    } else { // unknown conversions are printed unchanged
        put(p, at, length + (letter != 0));
    }
    if (printed > 0)
        put(p, text, (size_t)(printed < PIECE ? printed : PIECE - 1));
    return length + (letter != 0);
}

static void print_one(struct printing *p, uint64_t format_address)
{
    char format[FORMAT];
    if (!guest_string(p->warp, p->lane, format_address, format, sizeof format)) {
        p->error = "printf reads a format outside of all allocations";
        return;
    }
    for (const char *at = format; *at && !p->error;) {
        size_t plain = strcspn(at, "%");
        put(p, at, plain);
        at += plain;
        if (*at)
            at += print_conversion(p, at);
    }
}

const char *call_vprintf(struct warp *warp, const struct path *path, const struct call *call,
                         uint32_t *mask)
{
    for (; *mask; *mask &= *mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(*mask);
        struct printing p = {
            .warp = warp, .lane = lane, .arguments = builtin_argument(warp, path, call, 1, lane)};
        print_one(&p, builtin_argument(warp, path, call, 0, lane));
        builtin_result(warp, path, call, lane, (uint64_t)p.count);
        if (p.error)
            return p.error;
    }
    return NULL;
}
