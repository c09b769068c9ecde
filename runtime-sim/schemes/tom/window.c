#include "runtime-sim/schemes/tom/window.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include <math.h>

enum {
    SCAN_CYCLES = 64,
    WORD_BYTES = 4,
    RECENT = 256, // iterations of a mean; older ones lose half of their weight with each as many
};

static struct tom_window *window_of(const struct tom *tom, const struct tom_block_instance *run)
{
    return &tom->times[run->block - tom->table->blocks.v].window;
}

static bool is_late(const struct tom_window *window, uint64_t cycles, uint64_t iterations)
{
    return window->mean > 0 && (double)cycles > window->mean * (double)iterations;
}

// Size

static uint64_t inside(const struct tom *tom, uint32_t number)
{
    const struct tom_times *times = &tom->times[number];
    return times->window.begun - times->stats.home - times->stats.away - times->window.outside;
}

// Returns the minimum number of cycles of SMs for an instance, if they issue `issues` instructions
// per cycle and have this bandwidth.
static double min_cycles(const struct tom *tom, const struct tom_block *block, uint64_t issues,
                         uint64_t gbps)
{
    double bytes_in_cycle =
        (double)gbps * 1000 / (double)machine_port(tom->machine).config->memsys.memory.core_clock;
    return fmax(block->instructions / (double)issues, block->words * WORD_BYTES / bytes_in_cycle);
}

static double rate_of_stacks(const struct tom *tom, const struct tom_block *block)
{
    const struct stack_config *stack = tom->stacks->config;
    uint64_t stacks = tom->stacks->count;
    return min_cycles(tom, block,
                      machine_port(tom->machine).ordinary *
                          machine_port(tom->machine).config->core.schedulers,
                      stacks * stack->link_gbps) /
           min_cycles(tom, block, stacks * tom->config->sm_issue, stacks * stack->internal_gbps);
}

void tom_window_init(struct tom *tom)
{
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        tom->times[i].window.rate = rate_of_stacks(tom, &tom->table->blocks.v[i]);
}

// Returns the size until the first instance is judged. For a loop it is the minimum, since other
// iterations can follow. For other blocks it lets the GPU and the stacks finish at the same time,
// according to their rates.
static int64_t first_size(const struct tom *tom, uint32_t number)
{
    int64_t min = (int64_t)(tom->stacks->count * tom->config->window);
    int64_t share = (int64_t)((double)inside(tom, number) * tom->times[number].window.rate);
    return tom->table->blocks.v[number].loops || share < min ? min : share;
}

static int64_t size_of(const struct tom *tom, uint32_t number)
{
    const struct tom_window *window = &tom->times[number].window;
    return window->evaluated ? window->size : first_size(tom, number);
}

static void close_window(const struct tom *tom, struct tom_window *window)
{
    window->size = 0;
    window->pause = window->pause ? 2 * window->pause : tom->config->pause;
    window->wait = window->pause;
}

// Counts down the pause of a closed window. Instances that are still outside have no effect.
static void wait_closed(struct tom_window *window)
{
    window->change = 0;
    window->wait -= window->ended < window->wait ? window->ended : window->wait;
    window->size = !window->wait;
}

static void apply_change(const struct tom *tom, struct tom_window *window)
{
    int64_t max = (int64_t)(tom->stacks->count * machine_port(tom->machine).config->core.warps);
    if (window->evaluated && !window->size)
        wait_closed(window);
    if (!window->change)
        return;
    if (!window->evaluated)
        window->size = (int64_t)window->tried;
    window->evaluated = true;
    window->size += window->change;
    if (window->change > 0)
        window->pause = 0;
    if (window->size > max)
        window->size = max;
    if (window->size <= 0)
        close_window(tom, window);
    window->change = 0;
}

// Decisions

void tom_window_begin(struct tom *tom, struct tom_block_instance *run)
{
    struct tom_window *window = window_of(tom, run);
    window->begun++;
}

// One in tom.sample instances begins in the GPU, so that the time there is measured. Until the
// first time is known, no more instances leave than stay.
bool tom_window_admits(struct tom *tom, struct tom_block_instance *run)
{
    struct tom_window *window = window_of(tom, run);
    uint32_t number = (uint32_t)(run->block - tom->table->blocks.v);
    bool is_sample = !run->again && window->begun % tom->config->sample == 1;
    if (is_sample || (!window->count && inside(tom, number) <= window->outside) ||
        (int64_t)window->outside >= size_of(tom, number))
        return false;
    run->outside = true;
    window->outside++;
    if (window->outside > window->tried)
        window->tried = window->outside;
    return true;
}

void tom_window_leave(struct tom *tom, struct tom_block_instance *run)
{
    window_of(tom, run)->outside -= run->outside;
    run->outside = false;
}

// Iterations

bool tom_window_passes(struct tom_block_instance *run, bool is_begin)
{
    bool passes = is_begin && run->is_past_start;
    run->is_past_start = !is_begin;
    return passes;
}

bool tom_window_home(struct tom *tom, struct tom_block_instance *run, uint64_t now)
{
    struct tom_window *window = window_of(tom, run);
    window->cycles += now - run->passed;
    window->count++;
    window->ended++;
    run->passed = now;
    run->at_home++;
    return window->room > 0;
}

bool tom_window_away(struct tom *tom, struct tom_block_instance *run, uint64_t now)
{
    struct tom_window *window = window_of(tom, run);
    bool late = is_late(window, now - run->passed, 1);
    run->passed = now;
    run->in_stack++;
    if (late)
        window->change -= !run->is_overdue;
    else if (!is_late(window, now - run->left, run->in_stack))
        window->change += !window->overdue;
    run->is_overdue = false;
    return late && window->room < 0;
}

// An instance that ends in time enlarges the window by the number of such instances that would fit,
// one after another, into its time in the GPU.
void tom_window_ended(struct tom *tom, const struct tom_block_instance *run, uint64_t now)
{
    struct tom_window *window = window_of(tom, run);
    uint64_t cycles = now - run->left;
    double fit = window->mean * (double)(run->in_stack + 1) / (double)(cycles ? cycles : 1);
    if (is_late(window, cycles, run->in_stack + 1))
        window->change -= !run->is_overdue;
    else if (!window->overdue)
        window->change += fit > 1 ? (int64_t)fit : 1;
}

static void look_at(struct tom *tom, struct tom_block_instance *run)
{
    struct tom_window *window = window_of(tom, run);
    if (!is_late(window, machine_port(tom->machine).now - run->passed, 1))
        return;
    window->overdue++;
    window->change -= !run->is_overdue;
    run->is_overdue = true;
}

static void find_overdue(struct tom *tom)
{
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        tom->times[i].window.overdue = 0;
    for (uint32_t i = 0; i < tom->stacks->count; i++) {
        struct core *core = tom_sm_of(tom, i);
        struct tom_core *own = tom_core_of(core);
        EACH_WARP_SLOT (slot, core_port(core).words, core_used_slots(core, word))
            if (own->here[slot]->outside && own->here[slot]->state == TOM_IN_STACK)
                look_at(tom, own->here[slot]);
    }
}

void tom_window_tick(struct tom *tom)
{
    if (machine_port(tom->machine).now >= tom->next_check) {
        find_overdue(tom);
        tom->next_check = (machine_port(tom->machine).now / SCAN_CYCLES + 1) * SCAN_CYCLES;
    }
    for (uint32_t i = 0; i < tom->table->blocks.n; i++) {
        struct tom_window *window = &tom->times[i].window;
        while (window->count > RECENT) {
            window->count /= 2;
            window->cycles /= 2;
        }
        window->mean = window->count ? (double)window->cycles / (double)window->count : 0;
        apply_change(tom, window);
        window->ended = 0;
        window->room = size_of(tom, i) - (int64_t)window->outside;
    }
}

uint64_t tom_window_next(const struct tom *tom)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        if (tom->times[i].window.outside)
            next = tom->next_check;
    return next;
}
