/* Feeds a memory or a network with a trace, as a simulator of a processor would, and prints the
 * latency of each request.
 *
 * usage: models dram CONFIG <TRACE     lines CYCLE ADDRESS R|W, addresses hexadecimal
 *        models noc CONFIG <TRACE      lines CYCLE SOURCE TARGET FLITS
 *
 * A request that the model does not accept is offered again when its state has changed. */
#include <inttypes.h>
#include <ptxoffload/models.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void diagnose(void *user, const struct ptxoffload_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "models: %s\n", diagnostic->message);
}

static void need(enum ptxoffload_status status)
{
    if (status != PTXOFFLOAD_OK) {
        fprintf(stderr, "models: status %d\n", status);
        exit(1);
    }
}

static void print(const struct ptxoffload_completion_info *done)
{
    printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", done->number, done->arrival,
           done->end - done->arrival);
}

static void drain_dram(struct ptxoffload_dram *dram)
{
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO;
    while (ptxoffload_dram_completed(dram, &done))
        print(&done);
}

static void feed_dram(struct ptxoffload_context *context, const char *config)
{
    struct ptxoffload_dram *dram;
    uint64_t cycle, address, number = 0;
    char kind;
    need(ptxoffload_dram_new(context, config, NULL, &dram));
    while (scanf("%" SCNu64 " %" SCNx64 " %c", &cycle, &address, &kind) == 3) {
        int accepted = 0;
        need(ptxoffload_dram_offer(dram, cycle, address, kind == 'W', number, &accepted));
        while (!accepted) {
            need(ptxoffload_dram_advance(dram, ptxoffload_dram_next(dram)));
            need(ptxoffload_dram_offer(dram, cycle, address, kind == 'W', number, &accepted));
        }
        number++;
        drain_dram(dram);
    }
    while (ptxoffload_dram_pending(dram)) {
        need(ptxoffload_dram_advance(dram, ptxoffload_dram_next(dram)));
        drain_dram(dram);
    }
    ptxoffload_dram_free(dram);
}

static void drain_noc(struct ptxoffload_noc *noc)
{
    struct ptxoffload_completion_info done = PTXOFFLOAD_COMPLETION_INFO;
    while (ptxoffload_noc_completed(noc, &done))
        print(&done);
}

static void feed_noc(struct ptxoffload_context *context, const char *config)
{
    struct ptxoffload_noc *noc;
    struct ptxoffload_packet packet = PTXOFFLOAD_PACKET;
    need(ptxoffload_noc_new(context, config, NULL, &noc));
    while (scanf("%" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32, &packet.arrival, &packet.source,
                 &packet.target, &packet.flits) == 4) {
        int accepted = 0;
        need(ptxoffload_noc_offer(noc, &packet, &accepted));
        while (!accepted) {
            need(ptxoffload_noc_advance(noc, ptxoffload_noc_next(noc)));
            need(ptxoffload_noc_offer(noc, &packet, &accepted));
        }
        packet.number++;
        drain_noc(noc);
    }
    while (ptxoffload_noc_pending(noc)) {
        need(ptxoffload_noc_advance(noc, ptxoffload_noc_next(noc)));
        drain_noc(noc);
    }
    ptxoffload_noc_free(noc);
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "dram") && strcmp(argv[1], "noc"))) {
        fprintf(stderr, "usage: models dram|noc CONFIG <TRACE\n");
        return 2;
    }
    struct ptxoffload_context *context = ptxoffload_context_new();
    if (!context)
        return 1;
    ptxoffload_set_diagnose(context, diagnose, NULL);
    (strcmp(argv[1], "noc") ? feed_dram : feed_noc)(context, argv[2]);
    ptxoffload_context_free(context);
    return 0;
}
