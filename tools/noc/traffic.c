#include "tools/noc/traffic.h"
#include "support/nearest.h"
#include <stdlib.h>
#include <string.h>

// Patterns

enum list_kind { LIST_NONE, LIST_SENDERS, LIST_RECEIVERS, LIST_PAIR };

typedef const char *traffic_binder(struct noc_traffic *traffic, struct arena *arena,
                                   const struct traffic_shape *shape);

struct traffic_pattern {
    const char *name;
    enum list_kind list;
    traffic_binder *bind;
};

static void bind_all(struct noc_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->nodes; i++) {
        traffic->sends[i] = true;
        traffic->receivers[i] = i;
    }
    traffic->receiver_count = traffic->nodes;
}

static const char *bind_uniform(struct noc_traffic *traffic, struct arena *arena,
                                const struct traffic_shape *shape)
{
    (void)arena, (void)shape;
    bind_all(traffic);
    return NULL;
}

// Transposes the places as a square; a mesh must itself be square.
static const char *bind_transpose(struct noc_traffic *traffic, struct arena *arena,
                                  const struct traffic_shape *shape)
{
    uint32_t side = 0;
    while ((uint64_t)side * side < shape->nodes)
        side++;
    if (side * side != shape->nodes)
        return arena_printf(arena, "needs a square number of places, but there are %u",
                            shape->nodes);
    if (shape->digits == 2 && shape->extent[0] != shape->extent[1])
        return arena_printf(arena, "needs a square, but this is %u by %u", shape->extent[0],
                            shape->extent[1]);
    bind_all(traffic);
    traffic->fixed = true;
    for (uint32_t i = 0; i < traffic->nodes; i++)
        traffic->receivers[i] = i % side * side + i / side;
    return NULL;
}

static const char *bind_bitcomp(struct noc_traffic *traffic, struct arena *arena,
                                const struct traffic_shape *shape)
{
    (void)arena, (void)shape;
    bind_all(traffic);
    traffic->fixed = true;
    for (uint32_t i = 0; i < traffic->nodes; i++)
        traffic->receivers[i] = traffic->nodes - 1 - i;
    return NULL;
}

// Adds to each digit 1, or with `far` the largest step below half of its extent.
static const char *bind_rotated(struct noc_traffic *traffic, const struct traffic_shape *shape,
                                bool far)
{
    bind_all(traffic);
    traffic->fixed = true;
    for (uint32_t i = 0; i < traffic->nodes; i++) {
        uint32_t to = 0, weight = 1, rest = i;
        for (uint32_t d = 0; d < shape->digits; d++) {
            uint32_t extent = shape->extent[d], by = far ? (extent - 1) / 2 : 1;
            to += (rest % extent + by) % extent * weight;
            rest /= extent;
            weight *= extent;
        }
        traffic->receivers[i] = to;
    }
    return NULL;
}

static const char *bind_neighbor(struct noc_traffic *traffic, struct arena *arena,
                                 const struct traffic_shape *shape)
{
    (void)arena;
    return bind_rotated(traffic, shape, false);
}

static const char *bind_tornado(struct noc_traffic *traffic, struct arena *arena,
                                const struct traffic_shape *shape)
{
    (void)arena;
    return bind_rotated(traffic, shape, true);
}

// Rotates the bits of a place's number left by one, or reverses them.
static const char *bind_bits(struct noc_traffic *traffic, struct arena *arena,
                             const struct traffic_shape *shape, bool reverse)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < shape->nodes)
        bits++;
    if (UINT64_C(1) << bits != shape->nodes)
        return arena_printf(arena, "needs a power of two as the number of places, but there are %u",
                            shape->nodes);
    bind_all(traffic);
    traffic->fixed = true;
    for (uint32_t i = 0; i < traffic->nodes; i++) {
        traffic->receivers[i] = 0;
        for (uint32_t b = 0; b < bits; b++)
            traffic->receivers[i] |= (i >> b & 1) << (reverse ? bits - 1 - b : (b + 1) % bits);
    }
    return NULL;
}

static const char *bind_shuffle(struct noc_traffic *traffic, struct arena *arena,
                                const struct traffic_shape *shape)
{
    return bind_bits(traffic, arena, shape, false);
}

static const char *bind_bitrev(struct noc_traffic *traffic, struct arena *arena,
                               const struct traffic_shape *shape)
{
    return bind_bits(traffic, arena, shape, true);
}

static bool *mark_list(const struct noc_traffic *traffic, struct arena *arena)
{
    bool *listed = ARENA_ARRAY(arena, bool, traffic->nodes);
    for (uint32_t i = 0; i < traffic->list.n; i++)
        listed[traffic->list.v[i]] = true;
    return listed;
}

static const char *bind_hotspot(struct noc_traffic *traffic, struct arena *arena,
                                const struct traffic_shape *shape)
{
    (void)arena, (void)shape;
    bind_all(traffic);
    traffic->receiver_count = traffic->list.n;
    for (uint32_t i = 0; i < traffic->list.n; i++)
        traffic->receivers[i] = traffic->list.v[i];
    return NULL;
}

// The listed places send to the others, or with `listed_send` false the reverse.
static const char *bind_between(struct noc_traffic *traffic, struct arena *arena, bool listed_send)
{
    const bool *listed = mark_list(traffic, arena);
    for (uint32_t i = 0; i < traffic->nodes; i++) {
        traffic->sends[i] = listed[i] == listed_send;
        if (!traffic->sends[i])
            traffic->receivers[traffic->receiver_count++] = i;
    }
    return traffic->list.n == traffic->nodes ? "lists all places: no others remain" : NULL;
}

static const char *bind_few_to_many(struct noc_traffic *traffic, struct arena *arena,
                                    const struct traffic_shape *shape)
{
    (void)shape;
    return bind_between(traffic, arena, true);
}

static const char *bind_many_to_few(struct noc_traffic *traffic, struct arena *arena,
                                    const struct traffic_shape *shape)
{
    (void)shape;
    return bind_between(traffic, arena, false);
}

static const char *bind_flow(struct noc_traffic *traffic, struct arena *arena,
                             const struct traffic_shape *shape)
{
    (void)arena, (void)shape;
    traffic->sends[traffic->list.v[0]] = true;
    traffic->receivers[0] = traffic->list.v[1];
    traffic->receiver_count = 1;
    return NULL;
}

#define TRAFFIC(name, list, bind, help) {name, list, bind},
static const struct traffic_pattern patterns[] = {
#include "tools/noc/traffic.def"
};
enum { PATTERNS = ARRAY_LENGTH(patterns) };

// Reading

static const char *unknown(struct arena *arena, const char *name, size_t length)
{
    struct nearest nearest;
    nearest_init(&nearest, name, (uint32_t)length);
    for (size_t i = 0; i < PATTERNS; i++)
        nearest_offer(&nearest, patterns[i].name, strlen(patterns[i].name));
    return nearest.best ? arena_printf(arena, "unknown pattern '%.*s'; did you mean '%s'?",
                                       (int)length, name, nearest.best)
                        : arena_printf(arena, "unknown pattern '%.*s'", (int)length, name);
}

static bool listed(const struct noc_traffic *traffic, uint32_t node)
{
    for (uint32_t i = 0; i < traffic->list.n; i++)
        if (traffic->list.v[i] == node)
            return true;
    return false;
}

// Reads a list "3,7,12" or a range "0-55".
static const char *read_list(struct noc_traffic *traffic, struct arena *arena, const char *at)
{
    enum { DIGITS = 7 };
    for (;; at++) {
        char *end;
        size_t digits = strspn(at, "0123456789");
        if (!digits || digits > DIGITS)
            return arena_printf(arena, "unknown place '%s': places are numbers from 0", at);
        uint32_t first = (uint32_t)strtoul(at, &end, 10), last = first;
        if (*end == '-') {
            digits = strspn(end + 1, "0123456789");
            last = digits && digits <= DIGITS ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
        }
        if (last < first || (*end && *end != ','))
            return arena_printf(arena, "cannot read '%s': expected places such as 3,7 or 0-5", at);
        for (uint32_t node = first; node <= last; node++) {
            if (traffic->pattern->list != LIST_PAIR && listed(traffic, node))
                return arena_printf(arena, "names %u twice", node);
            vec_push(arena, &traffic->list, node);
        }
        if (!*end)
            return NULL;
        at = end;
    }
}

const char *traffic_read(struct noc_traffic *traffic, struct arena *arena, const char *text)
{
    size_t length = strcspn(text, ":");
    *traffic = (struct noc_traffic){0};
    for (size_t i = 0; i < PATTERNS; i++)
        if (strlen(patterns[i].name) == length && !memcmp(patterns[i].name, text, length))
            traffic->pattern = &patterns[i];
    if (!traffic->pattern)
        return unknown(arena, text, length);
    const char *name = traffic->pattern->name;
    if (traffic->pattern->list == LIST_NONE)
        return text[length] ? arena_printf(arena, "'%s' takes no list", name) : NULL;
    if (!text[length] || !text[length + 1])
        return arena_printf(arena, "'%s' needs a list of places, as in %s:3,7", name, name);
    const char *wrong = read_list(traffic, arena, text + length + 1);
    if (!wrong && traffic->pattern->list == LIST_PAIR && traffic->list.n != 2)
        wrong = arena_printf(arena, "'%s' needs a source and a target, as in %s:3,7", name, name);
    return wrong;
}

static const char *read_size(struct arena *arena, const char **at, struct traffic_size *size)
{
    char *end;
    bool is_number = **at >= '0' && **at <= '9';
    unsigned long flits = strtoul(*at, &end, 10);
    if (!is_number || !flits || flits > TRAFFIC_MAX_FLITS)
        return arena_printf(arena,
                            "expected a number from 1 to %d, or several, such as 1,5 or "
                            "1:3,5:1",
                            TRAFFIC_MAX_FLITS);
    *size = (struct traffic_size){(uint32_t)flits, 1};
    if (*end == ':') {
        bool digit = (end[1] >= '0' && end[1] <= '9') || end[1] == '.';
        size->weight = strtod(end + 1, &end);
        if (!digit || !(size->weight > 0) || size->weight > 1e9)
            return "the weight after ':' must be a number above 0";
    }
    *at = end;
    return NULL;
}

const char *traffic_read_sizes(struct traffic_sizes *sizes, struct arena *arena, const char *text)
{
    double weights = 0, flits = 0;
    *sizes = (struct traffic_sizes){.text = text};
    for (const char *at = text;; at++) {
        struct traffic_size size;
        const char *wrong = read_size(arena, &at, &size);
        if (wrong)
            return wrong;
        if (*at && *at != ',')
            return "expected sizes such as 1,5 or 1:3,5:1";
        vec_push(arena, &sizes->list, size);
        sizes->max = size.flits > sizes->max ? size.flits : sizes->max;
        weights += size.weight;
        flits += size.weight * size.flits;
        sizes->mean = flits / weights;
        if (!*at)
            return NULL;
    }
}

const char *traffic_bind(struct noc_traffic *traffic, struct arena *arena,
                         const struct traffic_shape *shape)
{
    traffic->nodes = shape->nodes;
    traffic->sends = ARENA_ARRAY(arena, bool, shape->nodes);
    traffic->receivers = ARENA_ARRAY(arena, uint32_t, shape->nodes);
    for (uint32_t i = 0; i < traffic->list.n; i++)
        if (traffic->list.v[i] >= shape->nodes)
            return arena_printf(arena, "'%s' names place %u, but places are 0 to %u",
                                traffic->pattern->name, traffic->list.v[i], shape->nodes - 1);
    const char *wrong = traffic->pattern->bind(traffic, arena, shape);
    if (wrong)
        return arena_printf(arena, "'%s' %s", traffic->pattern->name, wrong);
    for (uint32_t i = 0; i < traffic->nodes; i++)
        traffic->sender_count += traffic->sends[i];
    return NULL;
}
