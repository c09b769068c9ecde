#include "report/machine_capability.h"
#include "passes/base/capability.h"
#include "support/gpu.h"
#include <string.h>

// Returns true if packets carry sectors as the analysis counts them. With larger ones whole lines
// are assumed.
static bool has_sectors(const struct machine_config *machine)
{
    const struct memsys_keys *memory = &machine->memsys.memory;
    return memory->sectors && memory->sector_bytes <= SECTOR_BYTES &&
           machine->l1.sector_bytes <= SECTOR_BYTES;
}

// Returns the shared memory of the service queue: two lines for each entry [000 §4.5].
static uint64_t service_queue_bytes(const struct config *config)
{
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count && !strcmp(section->name, "offload"); k++)
            if (!strcmp(section->keys[k].name, "service_queue"))
                return 2ull * LINE_BYTES *
                       *(const uint32_t *)((const char *)section->values + section->keys[k].offset);
    }
    return capability_usual.service_queue_bytes;
}

const char *machine_capability(struct arena *arena, const struct machine_config *machine,
                               const struct config *resolved)
{
    bool sectors = has_sectors(machine);
    bool apart = machine->memsys.memory.sector_replies || machine->core.sector_requests;
    return arena_printf(
        arena,
        "flit_bytes: %u\nheader_bytes: %u\nsectors: %s\nsector_packets: %s\n"
        "service_queue_bytes: %llu\nshared_bytes: %u\n",
        machine->memsys.request_network.flit_bytes, machine->memsys.memory.header_bytes,
        sectors ? "true" : "false", sectors && apart ? "true" : "false",
        (unsigned long long)service_queue_bytes(resolved), machine->core.shared_bytes);
}
