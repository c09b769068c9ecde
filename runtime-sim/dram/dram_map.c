#include "runtime-sim/dram/dram_map.h"

static struct dram_part part(uint32_t size)
{
    struct dram_part p = {.size = size};
    p.is_shift = !(size & (size - 1));
    p.shift = (uint32_t)__builtin_ctz(size);
    return p;
}

// Removes the lowest field from `number`. Returns the field.
static uint32_t pop_field(uint64_t *number, const struct dram_part *p)
{
    uint64_t whole = *number;
    *number = p->is_shift ? whole >> p->shift : whole / p->size;
    return (uint32_t)(p->is_shift ? whole & (p->size - 1) : whole % p->size);
}

static uint64_t put(uint64_t number, const struct dram_part *p, uint32_t value)
{
    return number * p->size + value;
}

static void init_bank_bits(struct dram_map *map, const struct dram_config *c)
{
    map->bank_bits = c->bank_bits.n;
    for (uint32_t i = 0; i < map->bank_bits; i++) {
        uint8_t bit = (uint8_t)(c->bank_bits.v[i] - (uint32_t)__builtin_ctz(c->request_bytes));
        uint32_t at = i;
        map->bank_bit[i] = bit;
        for (; at && map->taken_bit[at - 1] < bit; at--)
            map->taken_bit[at] = map->taken_bit[at - 1];
        map->taken_bit[at] = bit;
    }
}

void dram_map_init(struct dram_map *map, const struct dram_config *c)
{
    *map = (struct dram_map){
        .order = c->order,
        .bank_xor = c->bank_xor,
        .columns = part(c->row_bytes / c->request_bytes),
        .banks = part(c->banks),
        .inner_banks = part(c->banks / c->bank_groups),
        .groups = part(c->bank_groups),
        .rows = part(c->rows),
        .chunk = part(c->channel_bytes / c->request_bytes),
        .channels = part(c->channels),
        .request_bytes = c->request_bytes,
        .split = c->bank_split != 0,
    };
    if (c->bank_bits.n)
        init_bank_bits(map, c);
    if (!map->split)
        return;
    map->lower_columns = part(c->bank_split / c->request_bytes);
    map->upper_columns = part(c->row_bytes / c->bank_split);
    map->pair = part(2);
    map->other_banks = part(c->banks / 2);
}

uint64_t dram_map_requests(const struct dram_map *map)
{
    return (uint64_t)map->columns.size * map->banks.size * map->rows.size;
}

static void pop_split_fields(const struct dram_map *map, uint64_t *number,
                             struct dram_coordinates *at)
{
    at->column = pop_field(number, &map->lower_columns);
    at->bank = pop_field(number, &map->pair);
    at->column += pop_field(number, &map->upper_columns) * map->lower_columns.size;
    at->bank += pop_field(number, &map->other_banks) * 2;
}

static void pop_bank_bits(const struct dram_map *map, uint64_t *number, struct dram_coordinates *at)
{
    for (uint32_t i = 0; i < map->bank_bits; i++)
        at->bank |= (uint32_t)(*number >> map->bank_bit[i] & 1) << i;
    for (uint32_t i = 0; i < map->bank_bits; i++) {
        uint64_t below = (UINT64_C(1) << map->taken_bit[i]) - 1;
        *number = (*number >> 1 & ~below) | (*number & below);
    }
    at->column = pop_field(number, &map->columns);
}

struct dram_coordinates dram_map_local(const struct dram_map *map, uint64_t number)
{
    struct dram_coordinates at = {0};
    uint32_t group;
    switch (map->order) {
    case DRAM_ROW_BANK_COLUMN:
        if (map->bank_bits) {
            pop_bank_bits(map, &number, &at);
            break;
        }
        if (map->split) {
            pop_split_fields(map, &number, &at);
            break;
        }
        at.column = pop_field(&number, &map->columns);
        at.bank = pop_field(&number, &map->banks);
        break;
    case DRAM_ROW_COLUMN_BANK:
        at.bank = pop_field(&number, &map->banks);
        at.column = pop_field(&number, &map->columns);
        break;
    case DRAM_ROW_BANK_COLUMN_GROUP:
        group = pop_field(&number, &map->groups);
        at.column = pop_field(&number, &map->columns);
        at.bank = pop_field(&number, &map->inner_banks) * map->groups.size + group;
        break;
    }
    at.row = pop_field(&number, &map->rows);
    if (map->bank_xor)
        at.bank ^= at.row & (map->banks.size - 1);
    return at;
}

uint32_t dram_map_channel(const struct dram_map *map, uint64_t address)
{
    if (map->channels.size == 1)
        return 0;
    uint64_t number = address / map->request_bytes;
    pop_field(&number, &map->chunk);
    return pop_field(&number, &map->channels);
}

struct dram_coordinates dram_map_find(const struct dram_map *map, uint64_t address)
{
    uint64_t number = address / map->request_bytes;
    uint32_t within = pop_field(&number, &map->chunk);
    uint32_t channel = pop_field(&number, &map->channels);
    struct dram_coordinates at = dram_map_local(map, put(number, &map->chunk, within));
    at.channel = channel;
    return at;
}
