// Energy of offloading [000 §5]: queues, tables, buffers and ALUs.
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "runtime-sim/schemes/llc_omni/storage.h"

static const char COMPONENT[] = "offload";

// Accesses to an array. `flits` is the size of an access, for energy sets without arrays.
struct counted_access {
    const char *statistic;
    bool writes;
    double flits;
};

static void add_accesses(struct energy_model *model, const struct array *array,
                         const struct counted_access *accesses)
{
    struct array_cost cost = energy_array_cost(model->config, array);
    for (; accesses->statistic; accesses++)
        energy_add_access(model, COMPONENT, accesses->statistic, &cost, accesses->writes, 1,
                          accesses->flits);
}

static void add_queues(struct energy_model *model, const struct offload_config *config,
                       const struct offload_storage *storage)
{
    enum { FLIT = 256, LINE = LINE_BYTES * 8, FLITS_OF_LINE = LINE / FLIT };
    const struct array queue = {.entries = (double)config->queue, .bits = FLIT};
    const struct array table = {.entries = storage->part[STORAGE_EMN].entries,
                                .bits = storage->part[STORAGE_EMN].bits};
    const struct array service = {.entries = storage->part[STORAGE_SQSR].entries,
                                  .bits = storage->part[STORAGE_SQSR].bits};
    const struct array buffer = {.entries = PACKET_LOADS * (double)config->buffer, .bits = LINE};
    add_accesses(model, &queue,
                 (const struct counted_access[]){
                     {"offload.queue_write", true, 1}, {"offload.queue_read", false, 1}, {0}});
    add_accesses(model, &table,
                 (const struct counted_access[]){{"offload.table_read", false, 1}, {0}});
    add_accesses(model, &service,
                 (const struct counted_access[]){
                     {"offload.service_write", true, 1}, {"offload.service_read", false, 1}, {0}});
    add_accesses(model, &buffer,
                 (const struct counted_access[]){{"offload.buffer_write", true, FLITS_OF_LINE},
                                                 {"offload.buffer_read", false, FLITS_OF_LINE},
                                                 {0}});
}

void llc_omni_energy(const void *own, const struct machine_config *machine,
                     struct energy_model *model)
{
    const struct offload_config *config = own;
    struct offload_storage storage = llc_omni_storage(config, machine);
    for (enum storage_part part = 0; part < STORAGE_PARTS; part++) {
        uint32_t count =
            storage.part[part].cores + storage.part[part].llcs + storage.part[part].routers;
        if (part == STORAGE_TIMES && !storage.part[part].entries)
            continue;
        struct array array = {.entries = storage.part[part].entries,
                              .bits = storage.part[part].bits};
        const char *theirs = offload_storage_paper(part);
        energy_add_structure(model, COMPONENT, offload_storage_name(part), array, count,
                             *theirs ? arena_printf(model->arena, "[000 §5]: %s", theirs) : "");
    }
    add_queues(model, config, &storage);
    // Waiting operands cost as much as a warp's accesses to shared memory.
    energy_add(model, COMPONENT, "offload.operand_write", ENERGY_shared_memory, LANES);
    energy_add(model, COMPONENT, "offload.operand_read", ENERGY_shared_memory, LANES);
    energy_add(model, COMPONENT, "offload.shared_write", ENERGY_shared_memory, LANES);
    energy_add(model, COMPONENT, "offload.shared_read", ENERGY_shared_memory, LANES);
    energy_add(model, COMPONENT, "offload.alu_int", ENERGY_alu_int, 1);
    energy_add(model, COMPONENT, "offload.alu_fp32", ENERGY_alu_fp32, 1);
    energy_add(model, COMPONENT, "offload.lookups", ENERGY_l1_read_miss, 1);
    energy_add(model, COMPONENT, "offload.l1_old", ENERGY_l1_read_miss, 1);
    energy_add(model, COMPONENT, "offload.l1_fills", ENERGY_l1_write_miss, 1);
}
