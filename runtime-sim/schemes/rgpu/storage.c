// The paper gives the area of a FIFO (0.0015 mm² for 8 words of data, 0.031 mm² for 256 addresses
// with two read ports), the total of 23 mm² for 15 SMs with six lanes, and the change of the total
// with the depth: +2 % from 8 to 16, +10 % from 256 to 512. So the area of a FIFO is a constant
// plus a part that is proportional to its entries. The rest is that of the lanes with their
// multiplexers, and is proportional to their number.
#include "runtime-sim/schemes/rgpu/rgpu.h"

#define TOTAL 23.0
#define SMS 15.0
#define DATA 0.0015
#define DATA_FIFOS 112.0
#define ADDRESS 0.031
#define ADDRESS_FIFOS 16.0
#define GPU_AREA 529.0

static double data_fifo(double entries)
{
    double slope = 0.02 * TOTAL / SMS / DATA_FIFOS / 8;
    return DATA + slope * (entries - 8);
}

static double address_fifo(double entries)
{
    double slope = 0.10 * TOTAL / SMS / ADDRESS_FIFOS / 256;
    return ADDRESS + slope * (entries - 256);
}

double spatial_fifo_entries(const struct spatial_config *config)
{
    double fifos = (double)(MAP_OPERANDS * config->hardware.cores + config->hardware.lsus);
    return config->hardware.fifo_words ? (double)config->hardware.fifo_words / fifos
                                       : (double)config->hardware.data_fifo;
}

struct spatial_area spatial_area_of(const struct spatial_config *config, uint32_t sms)
{
    double lanes = TOTAL / SMS - DATA_FIFOS * DATA - ADDRESS_FIFOS * ADDRESS;
    double data = (double)(MAP_OPERANDS * config->hardware.cores + config->hardware.lsus);
    struct spatial_area area = {
        .data_fifos = (double)sms * data * data_fifo(spatial_fifo_entries(config)),
        .address_fifos = (double)sms * (double)config->hardware.lsus *
                         address_fifo((double)config->hardware.address_fifo),
        .lanes = (double)sms * lanes * (double)config->hardware.lanes / 6};
    area.total = area.data_fifos + area.address_fifos + area.lanes;
    return area;
}

double spatial_energy_ratio(double gpu, double saved, double added, double speedup)
{
    return (gpu - saved + added) / gpu / speedup;
}

void spatial_storage_print(const struct spatial_config *config, uint32_t sms, FILE *to)
{
    struct spatial_area area = spatial_area_of(config, sms);
    const struct map_hardware *h = &config->hardware;
    uint32_t data = MAP_OPERANDS * h->cores + h->lsus;
    fprintf(to, "spatial mode, for each SM\n");
    if (h->fifo_words)
        fprintf(to, "  data FIFOs     %6u share %u words, %u bits\n", data, h->fifo_words,
                h->fifo_words * 32);
    else
        fprintf(to, "  data FIFOs     %6u of %u words, %u bits\n", data, h->data_fifo,
                data * h->data_fifo * 32);
    fprintf(to, "  address FIFOs  %6u of %u words, %u bits\n", h->lsus, h->address_fifo,
            h->lsus * h->address_fifo * 32);
    fprintf(to, "  stores         %6u of %u lines, %u bits\n", h->lsus, h->store_lines,
            h->lsus * h->store_lines * LINE_BYTES * 8);
    fprintf(to, "  lanes          %6u\n", h->lanes);
    fprintf(to,
            "area of %u SMs, mm2: data FIFOs %.2f, address FIFOs %.2f, lanes %.2f, all %.2f "
            "(%.1f %% of %.0f)\n",
            sms, area.data_fifos, area.address_fifos, area.lanes, area.total,
            area.total / GPU_AREA * 100, GPU_AREA);
    fprintf(to, "energy at 2.1 times the speed, 13 W saved and 3.2 W added of 153 W: %.3f\n",
            spatial_energy_ratio(153, 13, 3.2, 2.1));
}

// Energy of the spatial mode [003 §5.5.2]: FIFOs are arrays, data lanes are wires across the length
// and width of an SM, and ALUs and the L1 cost as much as outside the mode.

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

void spatial_energy(const void *own, const struct machine_config *machine,
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
