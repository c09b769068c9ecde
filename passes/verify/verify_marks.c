// Marks: items that instructions of a window may cross. A register's declaration must precede all
// instructions that use the register, and follow those that use another register of that name.
#include "passes/verify/verify_window.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static bool has_words(const char *text, const struct item *item, const char *wanted)
{
    struct text_words words = {.text = text, .at = item->begin, .end = item->end};
    for (; *wanted; wanted++)
        if (words_next(&words) != (unsigned char)*wanted)
            return false;
    return true;
}

bool window_is_mark(const char *text, const struct item *item)
{
    return has_words(text, item, ".reg.") || has_words(text, item, ".pragma\"nounroll\";");
}

struct word {
    const char *text;
    uint32_t length;
};

// Returns the item without comments and unnecessary blanks.
static const char *plain_text(struct checker *c, const char *text, const struct item *item)
{
    struct text_words words = {.text = text, .at = item->begin, .end = item->end};
    char *plain = arena_alloc(&c->scratch, item->end - item->begin + 1), *to = plain;
    for (int next; (next = words_next(&words)) >= 0;)
        *to++ = (char)next;
    return plain;
}

// Returns the next word from *at on that is neither a number nor follows a dot, or length 0. *at
// moves past the word.
static struct word next_word(const char **at)
{
    char before = 0;
    while (**at) {
        const char *begin = *at;
        while (is_name_character(**at))
            ++*at;
        bool number = *begin >= '0' && *begin <= '9';
        if (*at > begin && before != '.' && !number)
            return (struct word){begin, (uint32_t)(*at - begin)};
        if (*at == begin)
            before = *(*at)++;
    }
    return (struct word){NULL, 0};
}

// Returns true if the digits are a number below the limit.
static bool is_number_below(const char *text, uint32_t length, uint64_t limit)
{
    uint64_t value = 0;
    bool plain = length && length < 11 && (length == 1 || *text != '0');
    for (uint32_t i = 0; i < length && plain; i++) {
        plain = text[i] >= '0' && text[i] <= '9';
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    return plain && value < limit;
}

// Returns true if the declared name, or its range, covers the used one: `%f<9>` declares %f0 to
// %f8.
static bool declares(const struct word *declared, const char *behind, const struct word *used)
{
    if (used->length < declared->length || memcmp(declared->text, used->text, declared->length))
        return false;
    if (*behind != '<')
        return used->length == declared->length;
    return is_number_below(used->text + declared->length, used->length - declared->length,
                           strtoull(behind + 1, NULL, 0));
}

static bool names_one_of(struct checker *c, const struct verify_mark *mark,
                         const struct item *instruction)
{
    const char *declaration = plain_text(c, c->input.text, &mark->in);
    const char *text = plain_text(c, c->input.text, instruction);
    for (;;) {
        struct word declared = next_word(&declaration);
        if (!declared.length)
            return false;
        const char *at = text;
        for (struct word used = next_word(&at); used.length; used = next_word(&at))
            if (declares(&declared, declaration, &used))
                return true;
    }
}

// Returns the number of marks before the event.
static uint32_t marks_before(const struct checker *c, uint32_t event)
{
    return SEARCH(i, 0, c->marks.n, c->marks.v[i].events <= event);
}

bool window_check_marks(struct checker *c)
{
    uint32_t before = 0; // in the input
    for (uint32_t m = 0; m < c->members.n; m++) {
        const struct member *member = &c->members.v[m];
        while (before < c->marks.n && c->marks.v[before].members <= m)
            before++;
        uint32_t now = marks_before(c, member->out);
        uint32_t from = now < before ? now : before, to = now < before ? before : now;
        for (uint32_t i = from; i < to; i++)
            if (names_one_of(c, &c->marks.v[i], &member->item)) {
                window_fault(c, member->item.begin, c->events.v[member->out].item.begin,
                             "it has crossed the declaration of a register");
                return false;
            }
    }
    return true;
}
