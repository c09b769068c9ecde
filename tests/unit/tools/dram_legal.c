#include "dram_legal.h"

static void rule(struct history *h, enum dram_command from, enum dram_command to, enum scope scope,
                 uint64_t clocks)
{
    h->rules[h->rule_count++] = (struct rule){from, to, scope, clocks};
    if (h->longest < clocks)
        h->longest = clocks;
}

static void column_rules(struct history *h, const struct dram_config *c)
{
    uint64_t data = c->CWL + c->burst;
    rule(h, DRAM_RD, DRAM_RD, CHANNEL, c->tCCD);
    rule(h, DRAM_RD, DRAM_RD, CHANNEL, c->burst);
    rule(h, DRAM_RD, DRAM_RD, SAME_GROUP, c->tCCD_L);
    rule(h, DRAM_WR, DRAM_WR, CHANNEL, c->tCCD);
    rule(h, DRAM_WR, DRAM_WR, CHANNEL, c->burst);
    rule(h, DRAM_WR, DRAM_WR, SAME_GROUP, c->tCCD_L);
    if (c->tCL + c->burst + c->turnaround > c->CWL)
        rule(h, DRAM_RD, DRAM_WR, CHANNEL, c->tCL + c->burst + c->turnaround - c->CWL);
    rule(h, DRAM_WR, DRAM_RD, CHANNEL, data + c->tWTR);
    rule(h, DRAM_WR, DRAM_RD, SAME_GROUP, data + c->tWTR_L);
}

void history_init(struct history *h, struct arena *arena, const struct dram_config *c)
{
    *h = (struct history){.config = c, .arena = arena};
    uint64_t recovery = c->CWL + c->burst + c->tWR;
    column_rules(h, c);
    rule(h, DRAM_ACT, DRAM_RD, SAME_BANK, c->tRCD);
    rule(h, DRAM_ACT, DRAM_WR, SAME_BANK, c->tRCD_write ? c->tRCD_write : c->tRCD);
    rule(h, DRAM_ACT, DRAM_ACT, SAME_BANK, c->tRC);
    rule(h, DRAM_ACT, DRAM_ACT, CHANNEL, c->tRRD);
    rule(h, DRAM_ACT, DRAM_ACT, SAME_GROUP, c->tRRD_L);
    rule(h, DRAM_ACT, DRAM_PRE, SAME_BANK, c->tRAS);
    rule(h, DRAM_RD, DRAM_PRE, SAME_BANK, c->tRTP);
    rule(h, DRAM_WR, DRAM_PRE, SAME_BANK, recovery);
    rule(h, DRAM_PRE, DRAM_ACT, SAME_BANK, c->tRP);
    rule(h, DRAM_ACT, DRAM_PREA, CHANNEL, c->tRAS);
    rule(h, DRAM_RD, DRAM_PREA, CHANNEL, c->tRTP);
    rule(h, DRAM_WR, DRAM_PREA, CHANNEL, recovery);
    rule(h, DRAM_PREA, DRAM_ACT, CHANNEL, c->tRP);
    rule(h, DRAM_PRE, DRAM_REF, CHANNEL, c->tRP);
    rule(h, DRAM_PREA, DRAM_REF, CHANNEL, c->tRP);
    rule(h, DRAM_REF, DRAM_ACT, CHANNEL, c->tRFC);
    rule(h, DRAM_REF, DRAM_REF, CHANNEL, c->tRFC);
    rule(h, DRAM_PRE, DRAM_REF_BANK, SAME_BANK, c->tRP);
    rule(h, DRAM_ACT, DRAM_REF_BANK, SAME_BANK, c->tRC);
    rule(h, DRAM_REF_BANK, DRAM_ACT, SAME_BANK, c->tRFC);
    rule(h, DRAM_REF_BANK, DRAM_REF_BANK, SAME_BANK, c->tRFC);
    h->longest = h->longest > c->tFAW ? h->longest : c->tFAW;
}

static bool is_column(enum dram_command command)
{
    return command == DRAM_RD || command == DRAM_WR;
}

static const char *state_fault(const struct history *h, enum dram_command command, uint32_t bank,
                               uint32_t row)
{
    bool any = false;
    for (uint32_t b = 0; b < h->config->banks; b++)
        any |= h->open[b];
    switch (command) {
    case DRAM_ACT: return h->open[bank] ? "ACT to a bank that is open" : NULL;
    case DRAM_PRE: return h->open[bank] ? NULL : "PRE of a bank that is closed";
    case DRAM_PREA: return any ? NULL : "PREA with all banks closed";
    case DRAM_REF: return any ? "REF with an open bank" : NULL;
    case DRAM_REF_BANK: return h->open[bank] ? "REF of an open bank" : NULL;
    case DRAM_RD:
    case DRAM_WR: return h->open[bank] && h->row[bank] == row ? NULL : "its row is not open";
    }
    return "no command";
}

static bool concerns(const struct history *h, const struct rule *r,
                     const struct sent_command *before, enum dram_command command, uint32_t bank)
{
    uint64_t groups = h->config->bank_groups;
    return r->from == before->command && r->to == command &&
           (r->scope == CHANNEL || (r->scope == SAME_BANK && before->bank == bank) ||
            (r->scope == SAME_GROUP && before->bank % groups == bank % groups));
}

const char *history_fault(const struct history *h, uint64_t now, enum dram_command command,
                          uint32_t bank, uint32_t row)
{
    const char *fault = state_fault(h, command, bank, row);
    uint32_t activates = 0;
    for (uint32_t i = h->list.n; !fault && i-- && h->list.v[i].at + h->longest >= now;) {
        const struct sent_command *before = &h->list.v[i];
        if (before->at == now &&
            (!h->config->split_commands || is_column(command) == is_column(before->command)))
            return "two commands in a clock";
        activates += before->command == DRAM_ACT && before->at + h->config->tFAW > now;
        for (uint32_t k = 0; k < h->rule_count; k++)
            if (now < before->at + h->rules[k].clocks &&
                concerns(h, &h->rules[k], before, command, bank))
                return "too early after another command";
    }
    if (!fault && command == DRAM_ACT && activates >= 4)
        return "a fifth ACT within tFAW";
    return fault;
}

void history_add(struct history *h, const struct sent_command *told)
{
    vec_push(h->arena, &h->list, *told);
    if (told->command == DRAM_ACT) {
        h->open[told->bank] = true;
        h->row[told->bank] = told->row;
    }
    for (uint32_t b = 0; b < h->config->banks; b++)
        if (told->command == DRAM_PREA || (told->command == DRAM_PRE && told->bank == b))
            h->open[b] = false;
}
