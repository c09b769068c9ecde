// Prints reuse as text.
#include "passes/analysis/reuse/reuse_view.h"
#include <inttypes.h>

enum { CACHE_LINES = 128 }; // 16 KB [000 Table 2]

static const char *other_text(struct arena *arena, struct reuse_other other)
{
    return arena_printf(arena,
                        other.all ? "the load in line %u touches the same lines"
                                  : "the load in line %u and others touch the same lines",
                        other.line);
}

static const char *cause_text(struct reuses *r, struct arena *arena, uint32_t inst,
                              const struct reuse *reuse, int cause)
{
    switch (cause) {
    case CAUSE_LOOP:
        if (!reuse->step)
            return "the address is the same in all iterations";
        return arena_printf(arena, "each iteration advances by %" PRId64 " bytes", reuse->step);
    case CAUSE_OTHER: return other_text(arena, reuse_other(r, inst));
    default: return arena_printf(arena, "%u warps of a CTA touch the same lines", reuse->warps);
    }
}

// Returns "each iteration advances by 4 bytes (serves 744 of 752 lines) and 8 warps of a CTA touch
// the same lines (serves 7 more)"; without shares if there is one cause.
static const char *causes_text(struct reuses *r, struct arena *arena, uint32_t inst,
                               const struct reuse *reuse)
{
    const char *text = "";
    int causes = 0;
    for (int i = 0; i < REUSE_CAUSES; i++)
        causes += reuse->served[i] > 0;
    for (int i = 0, done = 0; i < REUSE_CAUSES; i++) {
        if (!reuse->served[i])
            continue;
        const char *cause = cause_text(r, arena, inst, reuse, i);
        if (causes == 1)
            return cause;
        const char *between = !done ? "" : done + 1 == causes ? " and " : ", ";
        const char *of =
            done++ ? "more" : arena_printf(arena, "of %" PRIu64 " lines", reuse->lines);
        text = arena_printf(arena, "%s%s%s (serves %" PRIu64 " %s)", text, between, cause,
                            reuse->served[i], of);
    }
    return text;
}

// Returns the number of lines that a cache must keep between iterations for this load alone, if
// they exceed its size.
static const char *room_text(struct reuses *r, struct arena *arena, uint32_t inst,
                             const struct reuse *reuse)
{
    struct coalescing c = coalescing_of(r->coalescings, inst);
    uint64_t lines = c.known ? c.lines.count * reuse->warps / c.lines.of : 0;
    if (!reuse->served[CAUSE_LOOP] || c.space == W_local || lines <= CACHE_LINES)
        return "";
    return arena_printf(arena, ", if %" PRIu64 " lines stay for %u warps (a cache of 16 KB has %u)",
                        lines, reuse->warps, CACHE_LINES);
}

const char *reuse_text(struct reuses *r, struct arena *arena, uint32_t inst)
{
    struct reuse reuse = reuse_of(r, inst);
    if (reuse.kind == REUSE_UNKNOWN)
        return "its lines are unknown: all count as new";
    if (reuse.kind == REUSE_NONE)
        return reuse.others ? "the same warp accesses no line again: all lines count as new"
                            : "no line is accessed again: all lines are new";
    const char *causes = causes_text(r, arena, inst, &reuse);
    const char *room = room_text(r, arena, inst, &reuse);
    if (reuse.kind == REUSE_SAME && !reuse.served[CAUSE_OTHER] && !reuse.served[CAUSE_WARPS])
        return arena_printf(arena, "%s: only the first iteration brings lines%s", causes, room);
    uint64_t fresh = reuse.lines;
    for (int i = 0; i < REUSE_CAUSES; i++)
        fresh -= reuse.served[i];
    if (!fresh)
        return arena_printf(arena, "%s: no line is new%s", causes, room);
    return arena_printf(arena, "%s: %" PRIu64 " of %" PRIu64 " lines %s new%s", causes, fresh,
                        reuse.lines, fresh == 1 ? "is" : "are", room);
}
