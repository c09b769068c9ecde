#include "runtime-sim/gpu/machine.h"

static const struct config_key machine_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/machine.def"
#define CONFIG_OF struct machine_keys
#include "runtime-sim/engine/config_keys.inc"
};

void machine_sections(struct config_section sections[MACHINE_SECTIONS],
                      struct machine_config *config)
{
    const struct config_section own[MACHINE_SECTIONS - MEMSYS_SECTIONS] = {
        {"machine", machine_keys, sizeof machine_keys / sizeof *machine_keys, &config->machine},
        {"core", core_keys, core_key_count, &config->core},
        {"l1", cache_keys, cache_key_count, &config->l1},
        {"code_cache", tags_keys, tags_key_count, &config->code},
        {"constant_cache", tags_keys, tags_key_count, &config->constant},
        {"texture_cache", tags_keys, tags_key_count, &config->texture},
    };
    memsys_sections(sections, &config->memsys);
    for (uint32_t i = 0; i < MACHINE_SECTIONS - MEMSYS_SECTIONS; i++)
        sections[MEMSYS_SECTIONS + i] = own[i];
}

const char *machine_check(struct arena *arena, const struct machine_config *config)
{
    const char *wrong = cache_config_fault(&config->l1, "l1", arena);
    if (wrong)
        return wrong;
    if (config->l1.line_bytes != 128 || config->memsys.llc.line_bytes != 128)
        return "l1.line_bytes and llc.line_bytes must be 128: addresses of a warp are joined to "
               "lines of 128 bytes";
    if (!config->l1.write || config->l1.allocate_writes)
        return "the first level must have write: through and allocate_writes: false";
    if (config->core.threads > config->core.warps * LANES)
        return arena_printf(arena, "core.threads is more than the %u threads of core.warps",
                            (unsigned)(config->core.warps * LANES));
    return memsys_check(arena, &config->memsys);
}
