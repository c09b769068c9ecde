// Parses the text of a fill.
#include "runtime-sim/run/fill.h"
#include "support/nearest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4 };

struct fill_words {
    struct run *run;
    const struct run_text *at;
    struct run_text part[PARTS];
    uint32_t count;
};

// Splits zero | iota | uniform[:SEED] | range:LOW:HIGH[:SEED] | const:VALUE | raw:FILE at its
// colons.
static void split(struct fill_words *w)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i <= w->at->length && w->count < PARTS; i++) {
        bool last = w->count == PARTS - 1;
        if (i < w->at->length && (w->at->text[i] != ':' || last))
            continue;
        w->part[w->count++] = run_part(w->run, w->at, begin, i);
        begin = i + 1;
    }
}

static bool no_more(struct fill_words *w, uint32_t min, uint32_t max, const char *form)
{
    if (w->count > min && w->count <= max + 1)
        return true;
    run_fault(w->run, w->at, "expected '%s'", form);
    return false;
}

static bool parse_seed(struct fill_words *w, uint32_t part, uint64_t *seed)
{
    char *end;
    *seed = 1;
    if (part >= w->count)
        return true;
    errno = 0;
    *seed = strtoull(w->part[part].text, &end, 0);
    if (w->part[part].text[0] >= '0' && w->part[part].text[0] <= '9' && !*end && !errno)
        return true;
    run_fault(w->run, &w->part[part], "'%s' is not a seed: expected a number of 64 bits",
              w->part[part].text);
    return false;
}

// Within the formula, `i` is the element number.
static bool parse_formula(struct run *run, const struct run_text *at, struct fill *fill)
{
    fill->kind = FILL_FORMULA;
    struct run_name name = {.text = "i", .length = 1, .kind = NAME_INDEX};
    fill->index = run_add_name(run, name);
    bool good = run_expression(run, at, &fill->formula);
    run->names.v[fill->index].closed = true;
    return good;
}

static bool parse_zero(struct fill_words *w, struct fill *fill)
{
    fill->kind = FILL_ZERO;
    return no_more(w, 0, 0, "zero");
}

static bool parse_iota(struct fill_words *w, struct fill *fill)
{
    fill->kind = FILL_IOTA;
    return no_more(w, 0, 0, "iota");
}

static bool parse_uniform(struct fill_words *w, struct fill *fill)
{
    fill->kind = FILL_UNIFORM;
    return no_more(w, 0, 1, "uniform or uniform:SEED") && parse_seed(w, 1, &fill->seed);
}

static bool parse_range(struct fill_words *w, struct fill *fill)
{
    fill->kind = FILL_RANGE;
    return no_more(w, 2, 3, "range:LOW:HIGH or range:LOW:HIGH:SEED") &&
           run_expression(w->run, &w->part[1], &fill->low) &&
           run_expression(w->run, &w->part[2], &fill->high) && parse_seed(w, 3, &fill->seed);
}

static bool parse_const(struct fill_words *w, struct fill *fill)
{
    return no_more(w, 1, 1, "const:VALUE") && parse_formula(w->run, &w->part[1], fill);
}

static const struct {
    const char *name;
    bool (*parse)(struct fill_words *w, struct fill *fill);
} patterns[] = {
    {"zero", parse_zero},   {"iota", parse_iota},   {"uniform", parse_uniform},
    {"range", parse_range}, {"const", parse_const},
};
enum { PATTERNS = ARRAY_LENGTH(patterns) };

static bool unknown(struct run *run, const struct run_text *word)
{
    struct nearest nearest;
    nearest_init(&nearest, word->text, word->length);
    for (int i = 0; i < PATTERNS; i++)
        nearest_offer(&nearest, patterns[i].name, strlen(patterns[i].name));
    if (nearest.best)
        run_fault(run, word, "unknown fill '%s'; did you mean '%s'?", word->text, nearest.best);
    else
        run_fault(run, word,
                  "unknown fill '%s': expected zero, iota, uniform, range:LOW:HIGH, const:VALUE, = "
                  "FORMULA, FILE.npy or raw:FILE",
                  word->text);
    return false;
}

static bool is_npy(const struct run_text *at)
{
    return at->length > 4 && !strcmp(at->text + at->length - 4, ".npy");
}

bool run_fill(struct run *run, const struct run_text *at, struct fill *fill)
{
    *fill = (struct fill){.at = *at, .seed = 1, .index = UINT32_MAX};
    if (at->text[0] == '=') {
        struct run_text formula = run_part(run, at, 1, at->length);
        return parse_formula(run, &formula, fill);
    }
    if (!strncmp(at->text, "raw:", 4) && at->length > 4) {
        fill->kind = FILL_RAW;
        fill->path = at->text + 4;
        return true;
    }
    if (is_npy(at)) {
        fill->kind = FILL_NPY;
        fill->path = at->text;
        return true;
    }
    struct fill_words words = {.run = run, .at = at};
    split(&words);
    for (int i = 0; i < PATTERNS; i++)
        if (!strcmp(patterns[i].name, words.part[0].text))
            return patterns[i].parse(&words, fill);
    return unknown(run, &words.part[0]);
}
