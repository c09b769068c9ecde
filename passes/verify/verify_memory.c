// Memory: finds pairs that have changed places, one of which writes. A member has overtaken those
// that precede it in the input and follow it in the output.
//
// Accesses whose addresses differ only by a constant form a group. Within a group, only accesses
// that touch the same granule of memory are compared. Accesses of different groups are compared one
// by one, unless the groups are disjoint as a whole. Time is close to linear in the window if it
// has few groups.
#include "passes/analysis/affine/address.h"
#include "passes/verify/verify_window.h"
#include <string.h>

enum window_touch { TOUCH_NOTHING, TOUCH_READ, TOUCH_WRITE, TOUCH_ALL };

// Log2 of a granule's bytes. With more groups, a member is compared with all that it has overtaken.
enum { GRANULE_BITS = 6, MAX_GROUPS = 64 };

// Members that the output has not reached yet, in the order of the input.
enum waiting {
    WAITING_ANY,
    WAITING_HARD,
    WAITING_ACCESS,
    WAITING_ALL,
    WAITING_UNKNOWN,
    WAITING_KINDS
};

// A list of nodes, in the order of their members; 0: empty.
struct list {
    uint32_t first, last;
};

struct listed_member {
    uint32_t member, next, before;
    struct list *list;
};

struct window_access {
    enum window_touch touch;
    bool known; // `address` is valid
    uint32_t group;
    int64_t at; // offset in the group
    struct address address;
};

struct group {
    struct address address; // of one of its members
    struct list of[2];      // reads, writes
};

struct window_cell {
    uint32_t group;
    int64_t granule;
    struct list of[2];
    struct window_cell *next; // with the same hash
};

struct window_memory {
    struct checker *c;
    struct facts *facts;
    struct window_access *access;                // per member
    uint32_t *nodes;                             // per member: its first node
    VEC(struct listed_member) node;              // from 1 on
    struct list waiting[WAITING_KINDS], kind[2]; // kind: reads and writes at known addresses
    struct group **groups;
    uint32_t group_count, mask;
    uint32_t *group_table;      // by hash: number + 1
    struct window_cell **cells; // by hash
};

// Classes that may access any memory, wait, or order memory.
static const bool touches_all[] = {
    [CLASS_ATOMIC] = true, [CLASS_SURFACE] = true, [CLASS_ASYNC] = true, [CLASS_MATRIX] = true,
    [CLASS_CALL] = true,   [CLASS_BARRIER] = true, [CLASS_FENCE] = true, [CLASS_STACK] = true,
    [CLASS_MISC] = true,   [CLASS_OPAQUE] = true,
};

static enum window_touch touch_of(const struct ir_inst *inst)
{
    if (inst->flags & INST_ORDERED)
        return TOUCH_ALL;
    if (inst->class < sizeof touches_all && touches_all[inst->class])
        return TOUCH_ALL;
    if (inst->class == CLASS_STORE)
        return TOUCH_WRITE;
    return inst->class == CLASS_LOAD || inst->class == CLASS_TEXTURE ? TOUCH_READ : TOUCH_NOTHING;
}

// Lists

static void append(struct window_memory *m, struct list *list, uint32_t member)
{
    struct listed_member node = {member, 0, list->last, list};
    vec_push(&m->c->scratch, &m->node, node);
    uint32_t at = m->node.n - 1;
    if (list->last)
        m->node.v[list->last].next = at;
    else
        list->first = at;
    list->last = at;
}

// Removes a member that the output has reached from its lists.
static void remove_member(struct window_memory *m, uint32_t member)
{
    for (uint32_t at = m->nodes[member]; at < m->nodes[member + 1]; at++) {
        const struct listed_member *node = &m->node.v[at];
        if (node->before)
            m->node.v[node->before].next = node->next;
        else
            node->list->first = node->next;
        if (node->next)
            m->node.v[node->next].before = node->before;
        else
            node->list->last = node->before;
    }
}

static bool is_overtaken(const struct window_memory *m, const struct list *list, uint32_t member)
{
    return list->first && m->node.v[list->first].member < member;
}

// Groups

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

// Exact sums with the same terms differ by a constant.
static bool is_exact(const struct address *a)
{
    return a->has_sum && a->sum.exact_bits == 64;
}

static uint64_t hash_of(const struct address *a)
{
    uint64_t hash = mixed(1, a->space);
    if (!is_exact(a))
        return mixed(mixed(hash, a->version), a->parameter);
    for (uint32_t i = 0; i < a->sum.count; i++) {
        const struct affine_term *term = &a->sum.terms[i];
        hash = mixed(hash, (uint64_t)term->coefficient);
        for (uint32_t k = 0; k < AFFINE_FACTORS; k++)
            hash = mixed(hash, term->atom[k]);
    }
    return hash;
}

static bool same_terms(const struct affine *a, const struct affine *b)
{
    if (a->count != b->count)
        return false;
    bool same = true;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = a->terms[i].coefficient == b->terms[i].coefficient &&
               !memcmp(a->terms[i].atom, b->terms[i].atom, sizeof a->terms[i].atom);
    return same;
}

static bool same_group(const struct address *a, const struct address *b)
{
    if (a->space != b->space || a->read_only != b->read_only || is_exact(a) != is_exact(b))
        return false;
    if (is_exact(a))
        return same_terms(&a->sum, &b->sum);
    return a->version == b->version && a->parameter == b->parameter &&
           (a->version != IR_NONE || a->parameter != IR_NONE);
}

static uint32_t group_of(struct window_memory *m, const struct address *address)
{
    uint32_t at = (uint32_t)hash_of(address) & m->mask;
    for (; m->group_table[at]; at = (at + 1) & m->mask)
        if (same_group(&m->groups[m->group_table[at] - 1]->address, address))
            return m->group_table[at] - 1;
    struct group *group = ARENA_NEW(&m->c->scratch, struct group);
    group->address = *address;
    m->groups[m->group_count] = group;
    m->group_table[at] = ++m->group_count;
    return m->group_count - 1;
}

static struct window_cell **cell_at(struct window_memory *m, uint32_t group, int64_t granule)
{
    struct window_cell **at = &m->cells[mixed(mixed(1, group), (uint64_t)granule) & m->mask];
    while (*at && ((*at)->group != group || (*at)->granule != granule))
        at = &(*at)->next;
    return at;
}

// Granules that an access touches.
static int64_t first_granule(const struct window_access *access)
{
    return access->at >> GRANULE_BITS;
}

static int64_t last_granule(const struct window_access *access)
{
    return (access->at + access->address.bytes - 1) >> GRANULE_BITS;
}

static void join_cells(struct window_memory *m, uint32_t member)
{
    const struct window_access *access = &m->access[member];
    for (int64_t granule = first_granule(access); granule <= last_granule(access); granule++) {
        struct window_cell **at = cell_at(m, access->group, granule);
        if (!*at) {
            *at = ARENA_NEW(&m->c->scratch, struct window_cell);
            (*at)->group = access->group;
            (*at)->granule = granule;
        }
        append(m, &(*at)->of[access->touch == TOUCH_WRITE], member);
    }
}

// Members

static void read_access(struct window_memory *m, uint32_t member)
{
    const struct ir_inst *at = &m->c->fn->insts.v[m->c->members.v[member].inst];
    struct window_access *access = &m->access[member];
    access->touch = touch_of(at);
    access->known = access->touch != TOUCH_ALL && at->class != CLASS_TEXTURE;
    if (access->touch == TOUCH_NOTHING || !access->known)
        return;
    if (!m->facts)
        m->facts = facts_of(&m->c->own, m->c->module, m->c->options, m->c->function);
    access->address = address_in(m->facts, m->c->members.v[member].inst);
    access->group = group_of(m, &access->address);
    access->at =
        is_exact(&access->address) ? (int64_t)access->address.sum.constant : access->address.offset;
}

static void list_member(struct window_memory *m, uint32_t member)
{
    const struct window_access *access = &m->access[member];
    bool write = access->touch == TOUCH_WRITE;
    m->nodes[member] = m->node.n;
    append(m, &m->waiting[WAITING_ANY], member);
    if (m->c->members.v[member].hard)
        append(m, &m->waiting[WAITING_HARD], member);
    if (access->touch == TOUCH_NOTHING)
        return;
    append(m, &m->waiting[WAITING_ACCESS], member);
    if (access->touch == TOUCH_ALL)
        append(m, &m->waiting[WAITING_ALL], member);
    else if (!access->known)
        append(m, &m->waiting[WAITING_UNKNOWN], member);
    else {
        append(m, &m->kind[write], member);
        append(m, &m->groups[access->group]->of[write], member);
        join_cells(m, member);
    }
}

static struct window_memory *memory_new(struct checker *c)
{
    struct window_memory *m = ARENA_NEW(&c->scratch, struct window_memory);
    uint32_t n = c->members.n;
    m->c = c;
    for (m->mask = 1; m->mask < 2 * n; m->mask = 2 * m->mask + 1)
        continue;
    m->access = ARENA_ARRAY(&c->scratch, struct window_access, n + 1);
    m->nodes = ARENA_ARRAY(&c->scratch, uint32_t, n + 2);
    m->groups = ARENA_ARRAY(&c->scratch, struct group *, n + 1);
    m->group_table = ARENA_ARRAY(&c->scratch, uint32_t, m->mask + 1);
    m->cells = ARENA_ARRAY(&c->scratch, struct window_cell *, m->mask + 1);
    vec_push(&c->scratch, &m->node, (struct listed_member){.member = 0});
    for (uint32_t i = 0; i < n; i++)
        read_access(m, i);
    for (uint32_t i = 0; i < n; i++)
        list_member(m, i);
    m->nodes[n] = m->node.n;
    return m;
}

// Comparison

static bool may_conflict(const struct window_memory *m, uint32_t a, uint32_t b)
{
    const struct window_access *x = &m->access[a], *y = &m->access[b];
    if (x->touch == TOUCH_READ && y->touch == TOUCH_READ)
        return false;
    return address_may_alias(m->facts, &x->address, &y->address);
}

// Returns true if an overtaken access of the list conflicts with the member.
static bool conflicts_any(const struct window_memory *m, const struct list *list, uint32_t member)
{
    for (uint32_t at = list->first; at && m->node.v[at].member < member; at = m->node.v[at].next)
        if (may_conflict(m, m->node.v[at].member, member))
            return true;
    return false;
}

static bool conflicts_group(struct window_memory *m, uint32_t member)
{
    const struct window_access *access = &m->access[member];
    for (int64_t granule = first_granule(access); granule <= last_granule(access); granule++) {
        const struct window_cell *cell = *cell_at(m, access->group, granule);
        if (cell && (conflicts_any(m, &cell->of[1], member) ||
                     (access->touch == TOUCH_WRITE && conflicts_any(m, &cell->of[0], member))))
            return true;
    }
    return false;
}

// Returns true if the groups never overlap, wherever their accesses are.
static bool are_apart(const struct window_memory *m, const struct group *a, const struct group *b)
{
    struct address x = a->address, y = b->address;
    x.has_sum = y.has_sum = false;
    x.bytes = y.bytes = 0;
    return !address_may_alias(m->facts, &x, &y);
}

static bool conflicts_others(struct window_memory *m, uint32_t member)
{
    const struct window_access *access = &m->access[member];
    bool writes = access->touch == TOUCH_WRITE;
    if (m->group_count > MAX_GROUPS)
        return conflicts_any(m, &m->kind[1], member) ||
               (writes && conflicts_any(m, &m->kind[0], member));
    for (uint32_t i = 0; i < m->group_count; i++) {
        const struct group *other = m->groups[i];
        bool any = is_overtaken(m, &other->of[1], member) ||
                   (writes && is_overtaken(m, &other->of[0], member));
        if (i == access->group || !any || are_apart(m, m->groups[access->group], other))
            continue;
        if (conflicts_any(m, &other->of[1], member) ||
            (writes && conflicts_any(m, &other->of[0], member)))
            return true;
    }
    return false;
}

// Returns true if the member has overtaken an access that may touch the same bytes.
static bool has_crossed(struct window_memory *m, uint32_t member)
{
    const struct window_access *access = &m->access[member];
    bool writes = access->touch == TOUCH_WRITE;
    if (access->touch == TOUCH_NOTHING || !is_overtaken(m, &m->waiting[WAITING_ACCESS], member))
        return false;
    if (access->touch == TOUCH_ALL || is_overtaken(m, &m->waiting[WAITING_ALL], member))
        return true;
    if (is_overtaken(m, &m->waiting[WAITING_UNKNOWN], member) && writes)
        return true;
    if (!access->known)
        return is_overtaken(m, &m->kind[1], member) ||
               (writes && is_overtaken(m, &m->kind[0], member));
    return conflicts_group(m, member) || conflicts_others(m, member);
}

static const char *crossing_fault(struct window_memory *m, uint32_t member)
{
    bool hard = m->c->members.v[member].hard;
    if (is_overtaken(m, &m->waiting[hard ? WAITING_ANY : WAITING_HARD], member))
        return "it has crossed an instruction that no other may cross";
    return has_crossed(m, member)
               ? "it has crossed an access to memory that may touch the same bytes"
               : NULL;
}

void window_check_memory(struct checker *c)
{
    struct window_memory *m = memory_new(c);
    for (uint32_t e = 0; e < c->events.n; e++) {
        uint32_t member = c->events.v[e].member;
        if (c->events.v[e].pairs)
            continue;
        const char *wrong = crossing_fault(m, member);
        if (wrong) {
            window_fault(c, c->members.v[member].item.begin, c->events.v[e].item.begin, wrong);
            return;
        }
        c->to->moved += is_overtaken(m, &m->waiting[WAITING_ANY], member);
        remove_member(m, member);
    }
}
