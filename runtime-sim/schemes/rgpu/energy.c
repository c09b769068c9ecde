// Energy of the spatial mode [003 §5.5.2]: FIFOs are arrays, data lanes are wires across the length
// and width of an SM, and ALUs and the L1 cost as much as outside the mode.
#include "runtime-sim/schemes/rgpu/energy.h"
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "runtime-sim/schemes/rgpu/storage.h"

static const char COMPONENT[] = "spatial";

enum { WORD = 32, LANE_MM = 8, LINE_WORDS = LINE_BYTES / 4 };

static void add_fifo(struct energy_model *model, const struct array *array, const char *write,
                     const char *read)
{
    struct array_cost cost = energy_array_cost(model->config, array);
    double flits = array->bits / 256; // energy sets without arrays count a part of a flit
    energy_add_access(model, COMPONENT, write, &cost, true, 1, flits);
    energy_add_access(model, COMPONENT, read, &cost, false, 1, flits);
}

void spatial_energy_add(const void *own, const struct machine_config *machine,
                        struct energy_model *model)
{
    const struct spatial_config *config = own;
    double sms = (double)machine->memsys.memory.cores;
    const struct array data = {.entries = spatial_fifo_entries(config), .bits = WORD};
    const struct array address = {
        .entries = (double)config->hardware.address_fifo, .bits = WORD, .reads = 1};
    energy_add_structure(
        model, COMPONENT, "data FIFOs", data,
        sms * (double)(MAP_OPERANDS * config->hardware.cores + config->hardware.lsus),
        "[003 §5.5.3]: 1,500 um2 each");
    energy_add_structure(model, COMPONENT, "address FIFOs", address,
                         sms * (double)config->hardware.lsus,
                         "[003 §5.5.3]: 31,000 um2 each; all with lanes 23 mm2");
    add_fifo(model, &data, "spatial.fifo_write", "spatial.fifo_read");
    add_fifo(model, &address, "spatial.address_fifo_write", "spatial.address_fifo_read");
    energy_add(model, COMPONENT, "spatial.lane_tokens", ENERGY_wire, WORD * LANE_MM);
    energy_add(model, COMPONENT, "spatial.cr_write", ENERGY_register_write, 1);
    energy_add(model, COMPONENT, "spatial.fired_int", ENERGY_alu_int, 1);
    energy_add(model, COMPONENT, "spatial.fired_float", ENERGY_alu_fp32, 1);
    energy_add(model, COMPONENT, "spatial.fired_sfu", ENERGY_sfu, 1);
    energy_add(model, COMPONENT, "spatial.l1_hits", ENERGY_l1_read_hit, 1.0 / LINE_WORDS);
    energy_add(model, COMPONENT, "spatial.l1_misses", ENERGY_l1_read_hit, 1.0 / LINE_WORDS);
    energy_add(model, COMPONENT, "spatial.lines_read", ENERGY_l1_read_miss, 1);
}
