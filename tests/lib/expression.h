// Evaluates an expression of passes/analysis/trip/trip.h for given values of its names.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct expression {
    const char *at;
    int64_t (*value)(const void *data, const char *name, size_t length);
    const void *data;
};

static inline int64_t expression_sum(struct expression *e);

static inline bool expression_accept(struct expression *e, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(e->at, word, length))
        return false;
    e->at += length;
    return true;
}

static inline int64_t expression_quotient(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t) - (uint64_t)a : b ? a / b : 0;
}

static inline int64_t expression_shift(int64_t a, uint64_t by, bool left)
{
    if (left)
        return by < 64 ? (int64_t)((uint64_t)a << by) : 0;
    return a >> (by < 64 ? by : 63);
}

static inline int64_t expression_extended(int64_t a, unsigned bits, bool is_signed)
{
    uint64_t high = (uint64_t)a << (64 - bits);
    return is_signed ? (int64_t)high >> (64 - bits) : (int64_t)(high >> (64 - bits));
}

static inline int64_t expression_function(const char *name, size_t length, const int64_t *a)
{
    static const char names[][4] = {"min", "max", "and", "or", "xor", "rem", "shl", "shr",
                                    "if",  "lt",  "le",  "gt", "ge",  "eq",  "ne"};
    int64_t quotient = expression_quotient(a[0], a[1]);
    int64_t results[] = {a[0] < a[1] ? a[0] : a[1],
                         a[0] > a[1] ? a[0] : a[1],
                         a[0] & a[1],
                         a[0] | a[1],
                         a[0] ^ a[1],
                         (int64_t)((uint64_t)a[0] - (uint64_t)quotient * (uint64_t)a[1]),
                         expression_shift(a[0], (uint64_t)a[1], true),
                         expression_shift(a[0], (uint64_t)a[1], false),
                         a[0] ? a[1] : a[2],
                         a[0]<a[1], a[0] <= a[1], a[0]>
                             a[1],
                         a[0] >= a[1],
                         a[0] == a[1],
                         a[0] != a[1]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length))
            return results[i];
    if (name[0] == 's' || name[0] == 'u')
        return expression_extended(a[0], (unsigned)strtoul(name + 1, NULL, 10), name[0] == 's');
    fail_msg("no function %.*s", (int)length, name);
    return 0;
}

static inline int64_t expression_factor(struct expression *e)
{
    const char *begin = e->at;
    int64_t arguments[3] = {0, 0, 0};
    if (isdigit((unsigned char)*begin)) {
        char *end;
        uint64_t number = strtoull(begin, &end, 10);
        e->at = end;
        return (int64_t)number;
    }
    if (expression_accept(e, "(")) {
        int64_t sum = expression_sum(e);
        assert_true(expression_accept(e, ")"));
        return sum;
    }
    bool parameter = expression_accept(e, "[");
    e->at += strcspn(e->at, parameter ? "]" : " ,()");
    if (parameter && !expression_accept(e, "]"))
        fail_msg("no end of %s", begin);
    size_t length = (size_t)(e->at - begin);
    assert_true(length > 0);
    if (parameter || !expression_accept(e, "("))
        return e->value(e->data, begin, length);
    for (int i = 0; i < 3; i++) {
        arguments[i] = expression_sum(e);
        if (!expression_accept(e, ", "))
            break;
    }
    assert_true(expression_accept(e, ")"));
    return expression_function(begin, length, arguments);
}

static inline int64_t expression_term(struct expression *e)
{
    int64_t value = expression_factor(e);
    for (;;) {
        if (expression_accept(e, " * "))
            value = (int64_t)((uint64_t)value * (uint64_t)expression_factor(e));
        else if (expression_accept(e, " / "))
            value = expression_quotient(value, expression_factor(e));
        else
            return value;
    }
}

static inline int64_t expression_sum(struct expression *e)
{
    bool negative = expression_accept(e, "-");
    uint64_t sum = (uint64_t)expression_term(e);
    if (negative)
        sum = -sum;
    for (;;) {
        if (expression_accept(e, " + "))
            sum += (uint64_t)expression_term(e);
        else if (expression_accept(e, " - "))
            sum -= (uint64_t)expression_term(e);
        else
            return (int64_t)sum;
    }
}

static inline int64_t expression_read(const char *text,
                                      int64_t (*value)(const void *, const char *, size_t),
                                      const void *data)
{
    struct expression e = {text, value, data};
    int64_t result = expression_sum(&e);
    if (*e.at)
        fail_msg("cannot read '%s' in '%s'", e.at, text);
    return result;
}
