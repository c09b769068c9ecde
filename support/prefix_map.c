#include "support/prefix_map.h"
#include <string.h>

const char *prefix_map_add(struct prefix_map *map, struct arena *arena, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return arena_printf(arena, "cannot be '%s': expected OLD=NEW", argument);
    struct prefix_pair pair = {argument, equals + 1, (size_t)(equals - argument)};
    vec_push(arena, &map->list, pair);
    return NULL;
}

const char *prefix_map_name(const struct prefix_map *map, struct arena *arena, const char *name)
{
    for (uint32_t i = name ? map->list.n : 0; i-- > 0;) {
        const struct prefix_pair *pair = &map->list.v[i];
        if (!strncmp(name, pair->from, pair->length))
            return arena_printf(arena, "%s%s", pair->to, name + pair->length);
    }
    return name;
}
