#include "runtime-sim/exec/warp/matrix.h"

enum { MAX_REGISTERS = 4 * FRAGMENT_REGISTERS };

static const struct matrix_ops *find_registers(const struct warp *warp, const struct code *code,
                                               void **registers)
{
    for (uint32_t i = 0; i < code->list->count; i++)
        registers[i] = warp_register_lanes(warp, code->list->slot[i]);
    return warp->program->lanes->matrix;
}

void fragment_gather(const struct warp *warp, const struct code *code,
                     const struct fragment *fragment, uint64_t *bits)
{
    void *registers[MAX_REGISTERS];
    find_registers(warp, code, registers)->gather(fragment, registers, bits);
}

void fragment_scatter(const struct warp *warp, const struct code *code,
                      const struct fragment *fragment, const uint64_t *bits)
{
    void *registers[MAX_REGISTERS];
    find_registers(warp, code, registers)->scatter(fragment, registers, bits);
}

bool matrix_lanes(struct warp *warp, const struct code *code, uint32_t mask)
{
    if (mask == FULL_MASK)
        return true;
    warp_fault(warp, code, mask,
               "a matrix instruction needs all lanes of the warp; active are "
               "0x%08x",
               mask);
    return false;
}

enum step_result matrix_warp_sync(struct warp *warp, struct path *path, const struct code *code,
                                  uint32_t mask, warp_sync_fn *fn)
{
    enum step_result result = warp_sync(warp, path, code, mask, fn, false);
    return warp->fault->happened ? STEP_FAULT : result;
}

static void multiply(struct warp *warp, const struct code *code, uint32_t mask)
{
    void *registers[MAX_REGISTERS];
    if (matrix_lanes(warp, code, mask))
        find_registers(warp, code, registers)->multiply(code->extra, code, registers);
}

enum step_result step_mma(struct warp *warp, struct path *path, const struct code *code,
                          uint32_t mask)
{
    return matrix_warp_sync(warp, path, code, mask, multiply);
}
