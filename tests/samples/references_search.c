// Searches and dynamic programming: all exact.
#include "tests/samples/references.h"
#include <stdlib.h>

// A prefix of an address, its bits at the upper end.
struct prefix {
    uint32_t length, bits;
    int32_t hop;
};

struct fib {
    size_t second, third, fourth, nodes, count;
    uint32_t *bits, *depth; // of a node's path from the root
    int32_t *parent;        // entry of which a node, less 1, is the child
    struct prefix *prefix;
};

static int order(const void *a, const void *b)
{
    const struct prefix *one = a, *other = b;
    if (one->length != other->length)
        return one->length < other->length ? -1 : 1;
    return one->bits < other->bits ? -1 : one->bits > other->bits;
}

static void draw_parents(struct fib *f)
{
    size_t step[] = {256 / f->second, 256 * f->second / f->third, 256 * f->third / f->fourth};
    for (size_t node = 1; node < f->nodes; node++) {
        size_t level = (node > f->second) + (node > f->second + f->third);
        size_t first = level == 0 ? 1 : level == 1 ? 1 + f->second : 1 + f->second + f->third;
        size_t base = level == 0 ? 0 : level == 1 ? 256 : 256 + 256 * f->second;
        size_t entry =
            base + (node - first) * step[level] + (drawn(1, node - 1) >> 32) % step[level];
        f->parent[node - 1] = (int32_t)entry;
        f->depth[node] = (uint32_t)level + 1;
        f->bits[node] = f->bits[entry / 256] | (uint32_t)(entry % 256) << (24 - 8 * level);
    }
}

// The prefixes of each node: those that add 1 to 8 bits to its path.
static void draw_prefixes(struct fib *f)
{
    int32_t *chosen = range_int(f->nodes * 512, 0, 4080, 2);
    for (size_t i = 0; i < f->nodes * 512; i++) {
        uint32_t own = 0, node = (uint32_t)(i / 512), behind = (uint32_t)(i % 512);
        if (behind < 2 || chosen[i] >= 255)
            continue;
        while (behind >> own > 1)
            own++;
        uint32_t length = 8 * f->depth[node] + own;
        uint32_t bits = f->bits[node] | (behind - (1u << own)) << (32 - length);
        f->prefix[f->count++] = (struct prefix){length, bits, chosen[i] + 1};
    }
    free(chosen);
    qsort(f->prefix, f->count, sizeof *f->prefix, order);
}

static int32_t longest_match(const struct fib *f, uint32_t address)
{
    for (uint32_t length = 32; length; length--) {
        struct prefix key = {length, address >> (32 - length) << (32 - length), 0};
        const struct prefix *found = bsearch(&key, f->prefix, f->count, sizeof key, order);
        if (found)
            return found->hop;
    }
    return 0;
}

void ref_fiblookup(struct job *job)
{
    struct fib f = {.second = number(job, 0), .third = number(job, 1), .fourth = number(job, 2)};
    size_t n = number(job, 3);
    f.nodes = 1 + f.second + f.third + f.fourth;
    f.bits = calloc(f.nodes, sizeof *f.bits);
    f.depth = calloc(f.nodes, sizeof *f.depth);
    f.parent = calloc(f.nodes, sizeof *f.parent);
    f.prefix = calloc(f.nodes * 512, sizeof *f.prefix);
    draw_parents(&f);
    draw_prefixes(&f);
    int32_t *hop = calloc(n, sizeof *hop);
    int32_t *leaf = range_int(n, (int64_t)(f.second + f.third), (int64_t)f.nodes - 1, 4);
    for (size_t i = 0; i < n; i++) {
        uint32_t random = (uint32_t)(drawn(3, i) >> 32);
        hop[i] = longest_match(&f, i % 2 ? random : f.bits[leaf[i] + 1] | random % 256);
    }
    same_ints(job, "hop", hop, n);
    free(f.bits);
    free(f.depth);
    free(f.parent);
    free(f.prefix);
    free(leaf);
}

enum { SEED = 8 }; // bases that a read and the place where it matches have in common

struct mum {
    size_t n, length;
    int32_t *genome;
    size_t *first, *place; // of each word of SEED bases: where its places begin; all places
};

static size_t word_at(const int32_t *bases)
{
    size_t word = 0;
    for (size_t k = 0; k < SEED; k++)
        word = word * 4 + (size_t)bases[k];
    return word;
}

static void list_words(struct mum *m)
{
    size_t words = (size_t)1 << 2 * SEED;
    m->first = calloc(words + 2, sizeof *m->first);
    m->place = calloc(m->n, sizeof *m->place);
    for (size_t i = 0; i + SEED <= m->n; i++)
        m->first[word_at(m->genome + i) + 2]++;
    for (size_t w = 2; w < words + 2; w++)
        m->first[w] += m->first[w - 1];
    for (size_t i = 0; i + SEED <= m->n; i++)
        m->place[m->first[word_at(m->genome + i) + 1]++] = i;
}

// Tries one place of the genome.
static void match_at(const struct mum *m, const int32_t *read, size_t at, int32_t *longest,
                     int32_t *place, size_t *times)
{
    size_t k = 0;
    while (k < m->length && at + k < m->n && m->genome[at + k] == read[k])
        k++;
    if ((int32_t)k > *longest)
        *longest = (int32_t)k;
    if (k < m->length)
        return;
    *place = ++*times == 1 ? (int32_t)at : -1;
}

// All places of the read's first bases; all of the genome if there are none.
static void match(const struct mum *m, const int32_t *read, int32_t *longest, int32_t *place)
{
    size_t word = word_at(read), times = 0;
    *longest = 0;
    *place = -1;
    for (size_t i = m->first[word]; i < m->first[word + 1]; i++)
        match_at(m, read, m->place[i], longest, place, &times);
    for (size_t i = 0; i < m->n && m->first[word] == m->first[word + 1]; i++)
        match_at(m, read, i, longest, place, &times);
}

void ref_mum(struct job *job)
{
    struct mum m = {.n = (size_t)1 << number(job, 0), .length = number(job, 2)};
    size_t reads = number(job, 1), count = reads * (m.length + 1); // each with its end
    int32_t *start = range_int(reads, 0, (int64_t)(m.n - m.length), 2);
    int32_t *read = range_int(count, 0, 200, 3);
    int32_t *longest = calloc(reads, sizeof *longest), *place = calloc(reads, sizeof *place);
    m.genome = range_int(m.n, 0, 4, 1);
    for (size_t i = 0; i < count; i++)
        if (read[i] >= 4 && i % (m.length + 1) < m.length)
            read[i] = m.genome[(size_t)start[i / (m.length + 1)] + i % (m.length + 1)];
    list_words(&m);
    for (size_t q = 0; q < reads; q++)
        match(&m, read + q * (m.length + 1), &longest[q], &place[q]);
    same_ints(job, "longest", longest, reads);
    same_ints(job, "place", place, reads);
    free(m.genome);
    free(m.first);
    free(m.place);
    free(start);
    free(read);
}

static int32_t max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t min(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void ref_nw(struct job *job)
{
    size_t rows = number(job, 0), columns = number(job, 1), width = columns + 1;
    int32_t match = (int32_t)job->number[2], mismatch = (int32_t)job->number[3];
    int32_t penalty = (int32_t)job->number[4];
    int32_t *a = range_int(rows, 0, 4, 1), *b = range_int(columns, 0, 4, 2);
    int32_t *score = calloc((rows + 1) * width, sizeof *score);
    for (size_t i = 0; i < (rows + 1) * width; i++) {
        size_t y = i / width, x = i % width;
        if (!x || !y) {
            score[i] = -penalty * (int32_t)(x + y);
            continue;
        }
        int32_t gap = max(score[i - 1], score[i - width]) - penalty;
        score[i] = max(gap, score[i - width - 1] + (a[y - 1] == b[x - 1] ? match : mismatch));
    }
    same_ints(job, "score", score, (rows + 1) * width);
    free(a);
    free(b);
}

// Costs of the last two rows, row i in part i % 2.
static int32_t *costs(size_t columns, size_t rows)
{
    int32_t *wall = range_int(rows * columns, 0, 10, 1);
    int32_t *cost = calloc(2 * columns, sizeof *cost);
    for (size_t i = 0; i < rows; i++) {
        const int32_t *above = cost + (i + 1) % 2 * columns;
        int32_t *here = cost + i % 2 * columns;
        for (size_t j = 0; j < columns; j++) {
            int32_t before = above[j];
            before = j ? min(before, above[j - 1]) : before;
            before = j + 1 < columns ? min(before, above[j + 1]) : before;
            here[j] = wall[i * columns + j] + before;
        }
    }
    free(wall);
    return cost;
}

void ref_path(struct job *job)
{
    size_t columns = number(job, 0);
    // An odd number of rows: the last one is in the first part.
    same_ints(job, "one", costs(columns, 1 + 2 * number(job, 1) * number(job, 2)), columns);
}

void ref_path_serial(struct job *job)
{
    same_ints(job, "cost", costs(number(job, 0), number(job, 1)), 2 * number(job, 0));
}
