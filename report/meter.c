#include "report/meter.h"
#include <string.h>

void sim_meter_init(struct sim_meter *meter, const struct timed *timed, struct arena *arena)
{
    *meter = (struct sim_meter){.timed = timed, .arena = arena, .machine = timed->machines};
}

static void add_ref(struct sim_meter *m, struct stat_ref ref, const char *name)
{
    vec_push(m->arena, &m->refs, ref);
    vec_push(m->arena, &m->names, name);
}

// Adds references to statistics. Returns false if a name is unknown.
static bool add_refs(struct sim_meter *m, const char *names)
{
    while (*names) {
        struct stat_ref ref;
        size_t length = strcspn(names, " ");
        const char *name = arena_strndup(m->arena, names, length);
        if (!stats_refer(&m->timed->stats, name, &ref))
            return false;
        add_ref(m, ref, name);
        names += length + (names[length] == ' ');
    }
    return true;
}

static uint32_t add_column(struct sim_meter *m, uint32_t first, bool largest,
                           const struct sim_resource_row *resource)
{
    struct sim_column column = {first, m->refs.n - first, largest, resource, 0};
    if (resource)
        column.capacity = largest ? resource->each : resource->count;
    vec_push(m->arena, &m->columns, column);
    return m->columns.n - 1;
}

uint32_t sim_meter_add(struct sim_meter *m, const char *names)
{
    uint32_t first = m->refs.n;
    return add_refs(m, names) ? add_column(m, first, false, NULL) : METER_NONE;
}

// Adds references to the key in all groups of a collection.
static void add_collection(struct sim_meter *m, const char *collection, const char *key)
{
    const struct stats *stats = &m->timed->stats;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        if (!group->collection || strcmp(group->collection, collection) != 0)
            continue;
        for (uint32_t k = 0; k < group->count; k++)
            if (!strcmp(group->keys[k].name, key))
                add_ref(m, (struct stat_ref){i, k},
                        arena_printf(m->arena, "%s.%s", group->name, key));
    }
}

void sim_meter_add_resources(struct sim_meter *m, bool busiest)
{
    sim_resource_rows all = {0};
    sim_resource_rows_add(&all, m->arena, m->timed);
    vec_fix(m->arena, &m->resources, all.n); // columns point at them
    m->used = m->columns.n;
    for (uint32_t i = 0; i < all.n; i++) {
        uint32_t first = m->refs.n;
        if (!add_refs(m, all.v[i].names))
            continue;
        m->resources.v[m->resources.n] = all.v[i];
        if (busiest) {
            m->refs.n = m->names.n = first;
            add_collection(m, all.v[i].collection, all.v[i].key);
        }
        add_column(m, first, busiest, &m->resources.v[m->resources.n++]);
    }
    m->cycles = sim_meter_add(m, "machine.cycles");
    sim_meter_add(m, "request.cycles");
    sim_meter_add(m, "reply.cycles");
    m->last = ARENA_ARRAY(m->arena, uint64_t, m->refs.n + 1);
}

static double read_column(struct sim_meter *m, const struct sim_column *column)
{
    uint64_t sum = 0, max = 0;
    for (uint32_t i = column->first; i < column->first + column->count; i++) {
        bool is_known = m->refs.v[i].group != METER_NONE;
        uint64_t now = is_known ? stats_count(&m->timed->stats, m->refs.v[i]) : 0;
        uint64_t increase = now - m->last[i];
        m->last[i] = now;
        sum += increase;
        max = increase > max ? increase : max;
    }
    return (double)(column->largest ? max : sum);
}

// Returns the clocks of a part in the interval.
static double clocks_of(const struct sim_meter *m, const struct sim_resource_row *row,
                        const double *values)
{
    static const char *const names[] = {"machine.cycles", "request.cycles", "reply.cycles"};
    uint32_t i = 0;
    while (strcmp(names[i], row->cycles) != 0)
        i++;
    return values[m->cycles + i] * row->ratio;
}

// Another machine counts from 0, and may have other statistics.
static void change_machine(struct sim_meter *m)
{
    memset(m->last, 0, m->refs.n * sizeof *m->last);
    for (uint32_t i = 0; i < m->refs.n; i++)
        if (!stats_refer(&m->timed->stats, m->names.v[i], &m->refs.v[i]))
            m->refs.v[i].group = METER_NONE;
}

void sim_meter_read(struct sim_meter *m, double *values)
{
    if (m->machine != m->timed->machines)
        change_machine(m);
    m->machine = m->timed->machines;
    for (uint32_t i = 0; i < m->columns.n; i++)
        values[i] = read_column(m, &m->columns.v[i]);
    for (uint32_t i = 0; i < m->columns.n; i++) {
        const struct sim_column *column = &m->columns.v[i];
        double clocks = column->resource ? clocks_of(m, column->resource, values) : 0;
        if (clocks > 0)
            values[i] *= values[m->cycles] / (clocks * column->capacity);
    }
}
