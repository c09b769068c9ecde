// Compares a module's target with the targets that a feature requires.
#include "frontend/forms.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    uint16_t version;
} known[] = {
#define TARGET(text, version) {text, version},
#include "frontend/targets.def"
#undef TARGET
};

// First and last members of architecture families: code for target `f` runs on all later members.
// sm_101 is the former name of sm_110.
static const uint8_t families[][2] = {{100, 103}, {101, 110}, {120, 121}};

static int family_of(long number)
{
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        if (number == families[i][0] || number == families[i][1])
            return (int)i;
    return -1;
}

static long current_name(long number)
{
    return number == 101 ? 110 : number;
}

static bool allows_one(const char *needed, long number, char suffix)
{
    bool below = *needed == '<';
    char *end;
    long min = strtol(needed + below, &end, 10);
    if (below)
        return number < min;
    switch (*end) {
    case 'a': return current_name(number) == current_name(min) && suffix == 'a';
    case 'f':
        return family_of(number) >= 0 && family_of(number) == family_of(min) &&
               current_name(number) >= current_name(min) && suffix;
    default: return number >= min;
    }
}

static uint32_t digits_at(const char *target, uint32_t length)
{
    uint32_t at = 0;
    while (at < length && (target[at] < '0' || target[at] > '9'))
        at++;
    return at;
}

bool form_target_allows(const char *targets, const char *target, uint32_t length)
{
    if (!*targets)
        return true;
    uint32_t at = digits_at(target, length);
    long number = 0;
    for (; at < length && target[at] >= '0' && target[at] <= '9' && number < 10000; at++)
        number = number * 10 + (target[at] - '0');
    char suffix = at < length ? target[at] : 0;
    for (const char *needed = targets; *needed; needed += strspn(needed, " ,")) {
        if (allows_one(needed, number, suffix))
            return true;
        needed += strcspn(needed, " ,");
    }
    return false;
}

uint16_t form_target_version(const char *target, uint32_t length)
{
    uint32_t at = digits_at(target, length);
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strlen(known[i].text) == length - at &&
            !memcmp(known[i].text, target + at, length - at))
            return known[i].version;
    return 0;
}

const char *form_targets_text(struct arena *arena, const char *targets)
{
    const char *text = "";
    for (const char *at = targets; *at; at += strspn(at, " ,")) {
        size_t length = strcspn(at, " ,");
        bool below = *at == '<';
        char last = at[length - 1];
        const char *after = below         ? ""
                            : last == 'f' ? " and its family"
                            : last == 'a' ? ""
                                          : " or later";
        text =
            arena_printf(arena, "%s%s%ssm_%.*s%s", text, *text ? ", " : "",
                         below ? "a target before " : "", (int)(length - below), at + below, after);
        at += length;
    }
    return text;
}
