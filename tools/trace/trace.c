#include "tools/trace/trace.h"
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { WORDS = 5, ERRORS = 20 };

struct trace_word {
    uint32_t begin, end;
    bool is_number;
    uint64_t value;
};

struct trace_line {
    uint32_t begin, end, count; // count: words, WORDS + 1 if there are more
    struct trace_word words[WORDS + 1];
};

struct reader {
    struct trace_text *trace;
    struct arena *arena;
    const struct source *source;
    struct diags *diags;
    uint32_t at;
    uint64_t last; // cycle of the line before
};

// Words

static bool ends_word(char c)
{
    return source_is_blank(c) || c == ',' || c == '#' || !c;
}

// Returns false if the word is no number of 64 bits.
static bool read_number(const char *at, uint32_t length, uint64_t *value)
{
    bool hex = length > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
    uint64_t base = hex ? 16 : 10;
    *value = 0;
    for (uint32_t i = hex ? 2 : 0; i < length; i++) {
        char c = at[i] | 0x20; // digits have this bit
        uint64_t digit = at[i] >= '0' && at[i] <= '9' ? (uint64_t)(at[i] - '0')
                         : c >= 'a' && c <= 'f'       ? (uint64_t)(c - 'a' + 10)
                                                      : base;
        if (digit >= base || *value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    return length > 0;
}

static void add_word(struct reader *r, struct trace_line *line)
{
    const char *text = r->source->text;
    struct trace_word word = {.begin = r->at};
    while (r->at < r->source->length && !ends_word(text[r->at]))
        r->at++;
    if (word.begin == r->at) // a NUL byte
        r->at++;
    word.end = r->at;
    word.is_number = read_number(text + word.begin, word.end - word.begin, &word.value);
    if (line->count <= WORDS)
        line->words[line->count++] = word;
}

// Reads the next line that has words. Returns false at the end of the text.
static bool next_line(struct reader *r, struct trace_line *line)
{
    const char *text = r->source->text;
    *line = (struct trace_line){.begin = r->at};
    for (; r->at < r->source->length;) {
        char c = text[r->at];
        if (c == '\n' && line->count)
            break;
        if (c == '#') {
            const char *end = memchr(text + r->at, '\n', r->source->length - r->at);
            r->at = end ? (uint32_t)(end - text) : r->source->length;
        } else if (source_is_blank(c) || c == ',') {
            r->at++;
        } else {
            if (!line->count)
                line->begin = r->at;
            add_word(r, line);
            line->end = r->at;
        }
    }
    return line->count;
}

// Faults

static bool fault(struct reader *r, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(r->diags, DIAG_ERROR, "trace", begin, end, "%s", text);
    return false;
}

static bool fault_of(struct reader *r, const struct trace_word *word, const char *text)
{
    return fault(r, word->begin, word->end, text);
}

// Returns false after an error if the cycle is before that of the last line.
static bool check_cycle(struct reader *r, const struct trace_word *word)
{
    if (word->value < r->last)
        return fault_of(r, word, "the cycle is before that of the line above: sort the trace");
    if (word->value == UINT64_MAX)
        return fault_of(r, word, "the cycle is too large");
    r->last = word->value;
    return true;
}

// Requests

static bool read_kind(const struct reader *r, const struct trace_word *word, bool *write)
{
    static const char *const kinds[] = {"R", "READ", "LD", "LOAD", "W", "WRITE", "ST", "STORE"};
    for (uint32_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strlen(kinds[i]) == word->end - word->begin &&
            !strncasecmp(kinds[i], r->source->text + word->begin, word->end - word->begin)) {
            *write = i >= ARRAY_LENGTH(kinds) / 2;
            return true;
        }
    return false;
}

static bool read_request(struct reader *r, const struct trace_line *line, bool is_first)
{
    const struct trace_word *w = line->words;
    struct trace_request request = {0};
    bool timed =
        line->count >= 3 && w[0].is_number && w[1].is_number && read_kind(r, &w[2], &request.write);
    bool kind_first = line->count == 2 && w[1].is_number && read_kind(r, &w[0], &request.write);
    bool kind_last = line->count == 2 && w[0].is_number && read_kind(r, &w[1], &request.write);
    if ((!timed && !kind_first && !kind_last) || line->count > 4)
        return fault(r, line->begin, line->end,
                     "a request is CYCLE ADDRESS R|W [BYTES], or R|W ADDRESS, or ADDRESS R|W");
    if (!is_first && timed != r->trace->timed)
        return fault(r, line->begin, line->end,
                     timed ? "requests above this one have no cycle"
                           : "requests above this one have a cycle");
    r->trace->timed = timed;
    request.address = w[timed || kind_first].value;
    if (timed && !check_cycle(r, &w[0]))
        return false;
    request.cycle = timed ? w[0].value : 0;
    if (line->count == 4 && (!w[3].is_number || !w[3].value || w[3].value > UINT32_MAX))
        return fault_of(r, &w[3], "the size is a number of bytes from 1 to 4294967295");
    request.bytes = line->count == 4 ? (uint32_t)w[3].value : 0;
    if (request.address > UINT64_MAX - request.bytes)
        return fault_of(r, &w[timed || kind_first], "the request ends after the last address");
    vec_push(r->arena, &r->trace->requests, request);
    return true;
}

void trace_read_requests(struct trace_text *trace, struct arena *arena, const struct source *source,
                         struct diags *diags)
{
    struct reader r = {trace, arena, source, diags, 0, 0};
    struct trace_line line;
    bool is_first = true;
    while (diags->errors < ERRORS && next_line(&r, &line)) {
        read_request(&r, &line, is_first);
        is_first = is_first && !trace->requests.n;
    }
}

// Packets

static bool read_packet(struct reader *r, const struct trace_line *line)
{
    static const struct {
        uint64_t min, max;
        const char *fault;
    } limits[WORDS] = {
        {0, UINT64_MAX, "the cycle is a number"},
        {0, UINT32_MAX, "the source is the number of a node"},
        {0, UINT32_MAX, "the target is the number of a node"},
        {1, UINT16_MAX, "a packet has 1 to 65535 flits"},
        {0, UINT8_MAX, "the class is a number from 0 to 255"},
    };
    const struct trace_word *w = line->words;
    if (line->count < WORDS - 1 || line->count > WORDS)
        return fault(r, line->begin, line->end, "a packet is CYCLE SOURCE TARGET FLITS [CLASS]");
    for (uint32_t i = 0; i < line->count; i++)
        if (!w[i].is_number || w[i].value < limits[i].min || w[i].value > limits[i].max)
            return fault_of(r, &w[i], limits[i].fault);
    if (!check_cycle(r, &w[0]))
        return false;
    struct trace_packet packet = {.cycle = w[0].value,
                                  .source = (uint32_t)w[1].value,
                                  .target = (uint32_t)w[2].value,
                                  .flits = (uint32_t)w[3].value,
                                  .class = line->count == WORDS ? (uint32_t)w[4].value : 0,
                                  .begin = line->begin,
                                  .end = line->end};
    vec_push(r->arena, &r->trace->packets, packet);
    return true;
}

void trace_read_packets(struct trace_text *trace, struct arena *arena, const struct source *source,
                        struct diags *diags)
{
    struct reader r = {trace, arena, source, diags, 0, 0};
    struct trace_line line;
    while (diags->errors < ERRORS && next_line(&r, &line))
        read_packet(&r, &line);
}
