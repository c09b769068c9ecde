// Random blocks: the new order is a permutation that respects every dependence, keeps every
// instruction's .loc, keeps chains together, and does not change when it is read again. The
// dependences come from the construction of the block, not from the analyses under test.
#include "tests/unit/passes/kernel.h"
#include "tests/unit/passes/planned.h"

enum { LIMIT = 80, TEXT = 1 << 16, WORDS = 40, BASES = 4, POINTERS = BASES + 6, ROUNDS = 1500 };

enum access { NO_ACCESS, LOAD, READ_ONLY, STORE, FIXED };

// Registers by number: words, then pointers, then the two predicates.
enum { POINTER = WORDS, PREDICATE = WORDS + POINTERS, REGISTERS = PREDICATE + 2 };

struct instruction {
    uint64_t defines, uses; // bit sets over registers
    enum access access;
    uint32_t root; // what its address is based on: equal roots differ by constants only
    int offset;
    uint32_t loc;
    uint32_t region;     // none goes into another
    uint32_t boundaries; // written in front
};

struct block {
    struct instruction v[LIMIT];
    uint32_t count;
    char text[TEXT];
    size_t length;
    uint32_t loc, region, boundaries, depth;
    struct {
        uint32_t root;
        int offset;
    } pointer[POINTERS];
    uint32_t roots;
    uint64_t random;
};

static uint32_t pick(struct block *b, uint32_t below)
{
    b->random = b->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(b->random >> 33) % below;
}

static uint64_t bit(uint32_t reg)
{
    return UINT64_C(1) << reg;
}

static void write_text(struct block *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_text(struct block *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->length += (size_t)vsnprintf(b->text + b->length, TEXT - b->length, format, args);
    va_end(args);
    assert_true(b->length < TEXT);
}

// Starts an instruction: its prefix and its guard.
static struct instruction *begin(struct block *b, bool may_be_guarded)
{
    static const char *const fronts[] = {
        "", "", "", " ", "\n", "\n", "// remark\n", "/* remark */ "};
    if (b->count && b->text[b->length - 1] != '\n' && pick(b, 6))
        write_text(b, "\n");
    write_text(b, "%s", fronts[pick(b, 8)]);
    if (pick(b, 3) == 0) {
        b->loc = 1 + pick(b, 5);
        write_text(b, "%s.loc 1 %u 3\n", !b->length || b->text[b->length - 1] == '\n' ? "" : "\n",
                   b->loc);
    }
    struct instruction *inst = &b->v[b->count];
    *inst = (struct instruction){.loc = b->loc, .region = b->region, .boundaries = b->boundaries};
    if (may_be_guarded && pick(b, 12) == 0) {
        bool second = pick(b, 2);
        write_text(b, "@%s%%%c ", pick(b, 2) ? "!" : "", second ? 'q' : 'p');
        inst->uses |= bit(PREDICATE + second);
    }
    return inst;
}

static void end(struct block *b)
{
    static const char *const ends[] = {
        "\n", "\n", "\n", " // remark\n", "", " ", " /* remark */\n"};
    write_text(b, "%s", ends[pick(b, 7)]);
    b->count++;
}

static const char *pointer_name(uint32_t pointer)
{
    static const char *const names[] = {"%a",   "%b",   "%c",   "%d",   "%rd1",
                                        "%rd2", "%rd3", "%rd4", "%rd5", "%rd6"};
    return names[pointer];
}

static uint32_t pointer_to(struct block *b, bool read_only)
{
    return read_only ? 3 : pick(b, 3) ? pick(b, 3) : BASES + pick(b, POINTERS - BASES);
}

static void put_access(struct block *b, uint32_t word, bool is_store)
{
    struct instruction *inst = begin(b, true);
    bool read_only = !is_store && pick(b, 3) == 0;
    uint32_t pointer = pointer_to(b, read_only);
    int offset = 4 * (int)pick(b, 4);
    inst->access = is_store ? STORE : read_only ? READ_ONLY : LOAD;
    inst->uses |= bit(POINTER + pointer);
    inst->root = b->pointer[pointer].root;
    inst->offset = b->pointer[pointer].offset + offset;
    *(is_store ? &inst->uses : &inst->defines) |= bit(word);
    if (is_store)
        write_text(b, "st.global.u32 /*%u*/ [%s+%d], %%r%u;", b->count, pointer_name(pointer),
                   offset, word);
    else
        write_text(b, "ld.global%s.u32 /*%u*/ %%r%u, [%s+%d];", read_only ? ".nc" : "", b->count,
                   word, pointer_name(pointer), offset);
    end(b);
}

static void put_alu(struct block *b, uint32_t to, uint32_t first, uint32_t second)
{
    static const char *const ops[] = {"add.u32", "mul.lo.u32", "xor.b32", "max.s32"};
    struct instruction *inst = begin(b, true);
    inst->defines |= bit(to);
    inst->uses |= bit(first);
    write_text(b, "%s /*%u*/ %%r%u, %%r%u, ", ops[pick(b, 4)], b->count, to, first);
    if (second < WORDS) {
        inst->uses |= bit(second);
        write_text(b, "%%r%u;", second);
    } else {
        write_text(b, "%u;", second);
    }
    end(b);
}

static void put_pointer(struct block *b)
{
    struct instruction *inst = begin(b, false);
    uint32_t from = pointer_to(b, false), to = pointer_to(b, false);
    int step = 4 * (int)pick(b, 8);
    inst->uses |= bit(POINTER + from);
    inst->defines |= bit(POINTER + to);
    b->pointer[to].root = b->pointer[from].root;
    b->pointer[to].offset = b->pointer[from].offset + step;
    write_text(b, "add.s64 /*%u*/ %s, %s, %d;", b->count, pointer_name(to), pointer_name(from),
               step);
    end(b);
}

static void put_compare(struct block *b, uint32_t first)
{
    struct instruction *inst = begin(b, false);
    bool second = pick(b, 2);
    inst->uses |= bit(first);
    inst->defines |= bit(PREDICATE + second);
    write_text(b, "setp.lt.u32 /*%u*/ %%%c, %%r%u, 9;", b->count, second ? 'q' : 'p', first);
    end(b);
}

static void put_fixed(struct block *b)
{
    begin(b, false)->access = FIXED;
    write_text(b, "membar.gl /*%u*/;", b->count);
    end(b);
}

// Writes a brace, label or directive.
static void put_boundary(struct block *b)
{
    switch (pick(b, 5)) {
    case 0:
        write_text(b, "\n{ .reg .b32 %%x; ");
        b->depth++;
        break;
    case 1:
        if (!b->depth)
            return;
        write_text(b, " }");
        b->depth--;
        break;
    case 2: write_text(b, " L%u: ", b->region); break;
    case 3: write_text(b, ".pragma \"nounroll\";\n"); return; // is crossed
    default: write_text(b, ".pragma \"foreign\";\n"); break;
    }
    b->region++;
    b->boundaries++;
}

// Makes a block of up to four interleaved statements c = f(a, b), with other statements between
// them.
static void make_block(struct block *b, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->random = seed * 977 + 13;
    for (uint32_t i = 0; i < POINTERS; i++)
        b->pointer[i].root = i;
    uint32_t stage[4] = {0}, statements = 1 + pick(b, 4);
    uint32_t tight = pick(b, 2) ? WORDS : 10; // few registers: many are written again
    while (b->count < 8 + seed % (LIMIT - 10)) {
        uint32_t s = pick(b, statements), word = tight == WORDS ? 4 * s : pick(b, tight);
        uint32_t other = tight == WORDS ? word + 1 : pick(b, tight);
        uint32_t choice = pick(b, 20);
        if (choice < 2)
            put_pointer(b);
        else if (choice == 2)
            put_alu(b, 16 + pick(b, 8) % tight, 16 % tight, 17 % tight);
        else if (choice == 3)
            put_compare(b, 17 % tight);
        else if (choice == 4 && pick(b, 4) == 0)
            put_fixed(b);
        else if (choice == 5 && pick(b, 2))
            put_boundary(b);
        else if (stage[s] < 2)
            put_access(b, stage[s]++ ? other : word, false);
        else if (stage[s]++ == 2)
            put_alu(b, word + 2, word, pick(b, 3) ? other : WORDS + 5);
        else
            put_access(b, word + 2, true), stage[s] = 0;
    }
    while (b->depth--)
        write_text(b, " }");
    write_text(b, "\n");
}

static bool depends(const struct instruction *a, const struct instruction *b)
{
    if (a->access == FIXED || b->access == FIXED || a->region != b->region)
        return true;
    if (a->defines & (b->defines | b->uses) || a->uses & b->defines)
        return true;
    if (!a->access || !b->access || (a->access != STORE && b->access != STORE))
        return false;
    if (a->access == READ_ONLY || b->access == READ_ONLY)
        return false;
    return a->root != b->root || abs(a->offset - b->offset) < 4;
}

struct ir_reading {
    uint32_t id[LIMIT], loc[LIMIT], count;
    uint32_t boundaries[LIMIT]; // braces, labels, directives in front
};

static void read_back(struct ir_reading *r, const char *text)
{
    unsigned loc = 0, id, boundaries = 0;
    r->count = 0;
    for (const char *at = strstr(text, "bar.sync 0;"); at && *at; at++) {
        sscanf(at, ".loc 1 %u 3", &loc);
        boundaries += *at == '{' || *at == '}' || *at == 'L' || !strncmp(at, ".pragma \"f", 10);
        if (at[0] == '/' && at[1] == '*' && sscanf(at, "/*%u*/", &id) == 1) {
            assert_true(r->count < LIMIT);
            r->loc[r->count] = loc;
            r->boundaries[r->count] = boundaries;
            r->id[r->count++] = id;
        }
    }
}

static bool check_order(const struct block *b, const struct ir_reading *r)
{
    bool seen[LIMIT] = {false};
    if (r->count != b->count)
        return false;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->id[i] >= b->count || seen[r->id[i]])
            return false;
        seen[r->id[i]] = true;
        if (b->v[r->id[i]].loc && b->v[r->id[i]].loc != r->loc[i])
            return false;
        if (b->v[r->id[i]].boundaries != r->boundaries[i])
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (r->id[k] > r->id[i] && depends(&b->v[r->id[i]], &b->v[r->id[k]]))
                return false;
    }
    return true;
}

// Checks the chains. The body's instructions are the last of the kernel, before `ret`.
static bool check_chains(const struct planned *p, const struct block *b, const struct ir_reading *r)
{
    for (uint32_t i = 0; i < p->plan.chains.n; i++) {
        const struct chain *chain = &p->plan.chains.v[i];
        if (chain->across)
            continue; // nothing of it is moved
        uint32_t body = p->module.functions.v[chain->function].insts.n - 1 - b->count, place = 0;
        while (place < r->count && r->id[place] + body != chain->inst[0])
            place++;
        for (uint32_t k = 0; k < chain->count; k++)
            if (place + k >= r->count || r->id[place + k] + body != chain->inst[k])
                return false;
    }
    return true;
}

static uint32_t check_round(struct block *b, uint64_t seed, uint32_t *moves)
{
    static char text[2 * TEXT];
    struct planned p, again;
    struct ir_reading reading;
    struct pass_options options = {.reorder = true};
    make_block(b, seed);
    kernel_text(text, sizeof text, b->text);
    plan_text(&p, text, options);
    assert_int_equal(p.program.diags.list.n, 0);
    const char *output = planned_output(&p);
    read_back(&reading, output);
    plan_text(&again, output, options);
    bool right = check_order(b, &reading) && check_chains(&p, b, &reading);
    bool stays = !again.plan.edits.list.n && again.plan.chains.n == p.plan.chains.n;
    if (!right || !stays)
        fail_msg("seed %u: %s\n%s\nbecame\n%s", (unsigned)seed,
                 right ? "not stable" : "wrong order", b->text, output + strlen(KERNEL_HEAD));
    uint32_t chains = p.plan.chains.n;
    *moves += p.plan.edits.list.n;
    program_free(&again.program);
    program_free(&p.program);
    return chains;
}

static void test_random(void **state)
{
    (void)state;
    struct block *b = malloc(sizeof *b);
    uint32_t chains = 0, moves = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        chains += check_round(b, seed, &moves);
    free(b);
    assert_true(chains > ROUNDS); // or the test tests nothing
    assert_true(moves > ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
