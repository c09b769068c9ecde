#include "cli/sim_summary.h"
#include <inttypes.h>
#include <string.h>

struct summary_row {
    const char *name;
    uint64_t launches, warp_instructions, thread_instructions;
    const struct timed_kernel *timed; // NULL: none of its launches was timed
};

static void write_row(const struct summary_row *row, const struct timed *timed, int width, FILE *to)
{
    double ipc;
    fprintf(to, "%-*s %9" PRIu64, width, row->name, row->launches);
    if (timed && row->timed)
        fprintf(to, " %12" PRIu64, row->timed->cycles);
    else if (timed)
        fprintf(to, " %12s", "-");
    fprintf(to, " %18" PRIu64 " %20" PRIu64, row->warp_instructions, row->thread_instructions);
    if (timed && row->timed && timed_value(timed, row->timed, "machine.ipc", &ipc))
        fprintf(to, " %9.2f", ipc);
    else if (timed)
        fprintf(to, " %9s", "-");
    putc('\n', to);
}

static int name_width(const struct device *device)
{
    size_t width = strlen("kernel");
    for (uint32_t i = 0; i < device->kernels.n; i++) {
        size_t length = strlen(device->kernels.v[i]->name);
        width = length > width ? length : width;
    }
    return (int)width;
}

void sim_summary_write(const struct device *device, const struct timed *timed, FILE *to)
{
    int width = name_width(device);
    struct summary_row total = {.name = "total", .timed = timed ? &timed->total : NULL};
    fprintf(to, "%-*s %9s", width, "kernel", "launches");
    fprintf(to, timed ? " %12s" : "%s", timed ? "cycles" : "");
    fprintf(to, " %18s %20s", "warp instructions", "thread instructions");
    fprintf(to, timed ? " %9s\n" : "%s\n", timed ? "IPC" : "");
    for (uint32_t i = 0; i < device->kernels.n; i++) {
        const struct device_kernel *kernel = device->kernels.v[i];
        struct summary_row row = {kernel->name, kernel->launches, kernel->warp_instructions,
                                  kernel->thread_instructions, kernel->timed};
        write_row(&row, timed, width, to);
        total.launches += row.launches;
        total.warp_instructions += row.warp_instructions;
        total.thread_instructions += row.thread_instructions;
    }
    if (device->kernels.n > 1)
        write_row(&total, timed, width, to);
}
