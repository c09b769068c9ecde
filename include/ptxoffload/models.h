/** @file
 * Models of the library: a memory or a network alone, which the caller feeds with requests.
 *
 * - All rules of ptxoffload.h apply. Either header includes the other.
 * - A model has a present cycle, initially 0. A program offers requests, advances the model to
 * later cycles, and asks for what has been served.
 * - Cycles are below PTXOFFLOAD_CYCLES. The time that an advance takes depends on the requests and
 *   not on the number of cycles.
 */
#ifndef PTXOFFLOAD_MODELS_H
#define PTXOFFLOAD_MODELS_H

#include "ptxoffload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Cycles of arrivals and advances are below it. */
#define PTXOFFLOAD_CYCLES ((uint64_t)1 << 48)

/** A request or packet that has been served. */
struct ptxoffload_completion_info {
    size_t size;
    uint64_t number;  /**< as given by the caller */
    uint64_t arrival; /**< cycle of its arrival, as given by the caller */
    uint64_t end;     /**< the cycle after its last data; the latency is end - arrival */
};

/** A memory: channels of DRAM with their controllers, without caches. Its cycles are clocks of the
 * command bus. */
struct ptxoffload_dram;
/** Creates a memory, at clock 0. docs/reference/memory.md has the keys.
 * @param context The context of the memory.
 * @param config Name of a configuration of ptxoffload-dram or of a file; NULL: the initial values.
 * @param settings List of "KEY=VALUE", NULL-terminated; may be NULL.
 * @param dram Set to the memory, which the caller frees with ptxoffload_dram_free(), or to NULL on
 *     failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the configuration has errors;
 *     PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_dram_new(struct ptxoffload_context *context,
                                                          const char *config,
                                                          const char *const *settings,
                                                          struct ptxoffload_dram **dram);
/** Frees a memory.
 * @param dram A memory, or NULL. */
PTXOFFLOAD_API void ptxoffload_dram_free(struct ptxoffload_dram *dram);
/** Returns the size of a transfer, which is that of each request.
 * @param dram A memory, or NULL.
 * @return The size in bytes; 0 for NULL and for a lost memory. */
PTXOFFLOAD_API uint32_t ptxoffload_dram_transfer(const struct ptxoffload_dram *dram);
/** Offers a request of one transfer. A later clock of arrival than the present one first advances
 * the memory to it. A request that is not accepted can be offered again after an advance, with the
 * same clock of arrival, from which its latency counts.
 * @param dram A memory.
 * @param arrival Clock of its arrival.
 * @param address Address of a byte of the transfer.
 * @param write 1: a write; 0: a read.
 * @param number Number of the request, for the caller only.
 * @param accepted Set to 1, or to 0 if the queue of its channel is full.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT, also for an arrival of PTXOFFLOAD_CYCLES or more.
 */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_dram_offer(struct ptxoffload_dram *dram,
                                                            uint64_t arrival, uint64_t address,
                                                            int write, uint64_t number,
                                                            int *accepted);
/** Advances to a clock: evaluates all clocks before it.
 * @param dram A memory.
 * @param clock The clock, not before the present one and below PTXOFFLOAD_CYCLES. UINT64_MAX:
 *     until all requests that were accepted have been served; without requests the memory does not
 *     advance.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if the clock has passed or is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_dram_advance(struct ptxoffload_dram *dram,
                                                              uint64_t clock);
/** Returns the next clock to which an advance has an effect, such as a completed request or room
 * in a queue. Advances to clocks before it change nothing.
 * @param dram A memory, or NULL.
 * @return The clock; UINT64_MAX for a memory without requests and refresh, for NULL, and for a lost
 *     memory. */
PTXOFFLOAD_API uint64_t ptxoffload_dram_next(const struct ptxoffload_dram *dram);
/** Returns the number of requests that were accepted and that ptxoffload_dram_completed() has not
 * returned.
 * @param dram A memory, or NULL.
 * @return The number of requests; 0 for NULL and for a lost memory. */
PTXOFFLOAD_API uint64_t ptxoffload_dram_pending(const struct ptxoffload_dram *dram);
/** Returns the next request that was served, by clock of its end. Each is returned once.
 * @param dram A memory, or NULL.
 * @param to Filled with the request.
 * @return 1; 0 without such a request, if `size` is not allowed, and for NULL and a lost memory.
 */
PTXOFFLOAD_API int ptxoffload_dram_completed(struct ptxoffload_dram *dram,
                                             struct ptxoffload_completion_info *to);
/** Finds the value of a statistic.
 * @param dram A memory.
 * @param name Name in ptxoffload-dram --stats, such as "dram.reads", of all channels, or
 *     "dram.channel0.reads".
 * @param value Set to the value since clock 0, in the unit of the statistic.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic for an unknown name. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_dram_statistic(struct ptxoffload_dram *dram,
                                                                const char *name, double *value);

/** A network: routers, channels, and an interface for each node. */
struct ptxoffload_noc;
/** A packet of a network. */
struct ptxoffload_packet {
    size_t size;
    uint64_t number;  /**< for the caller only */
    uint64_t arrival; /**< cycle of its arrival at the interface of its source */
    uint32_t source, target;
    uint32_t flits;  /**< 1 to 1024 */
    uint32_t class_; /**< message class, below the key `classes` */
};
/** Creates a network, at cycle 0. docs/reference/noc.md has the keys.
 * @param context The context of the network.
 * @param config Name of a configuration of ptxoffload-noc or of a file; NULL: the initial values.
 * @param settings List of "KEY=VALUE", NULL-terminated; may be NULL.
 * @param noc Set to the network, which the caller frees with ptxoffload_noc_free(), or to NULL on
 *     failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the configuration has errors;
 *     PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_noc_new(struct ptxoffload_context *context,
                                                         const char *config,
                                                         const char *const *settings,
                                                         struct ptxoffload_noc **noc);
/** Frees a network.
 * @param noc A network, or NULL. */
PTXOFFLOAD_API void ptxoffload_noc_free(struct ptxoffload_noc *noc);
/** Returns the number of nodes, from 0 on.
 * @param noc A network, or NULL.
 * @return The number of nodes; 0 for NULL and for a lost network. */
PTXOFFLOAD_API uint32_t ptxoffload_noc_nodes(const struct ptxoffload_noc *noc);
/** Offers a packet to the interface of its source. A later cycle of arrival than the present one
 * first advances the network to it. A packet that is not accepted can be offered again after an
 * advance, with the same cycle of arrival, from which its latency counts.
 * @param noc A network.
 * @param packet The packet, which is copied.
 * @param accepted Set to 1, or to 0 if the interface has no room for it in this cycle.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT for a node, class or size that the network does
 *     not have, for a target that the source does not reach, and for an arrival of
 *     PTXOFFLOAD_CYCLES or more; PTXOFFLOAD_NO_PROGRESS as ptxoffload_noc_advance(). */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_noc_offer(struct ptxoffload_noc *noc,
                                                           const struct ptxoffload_packet *packet,
                                                           int *accepted);
/** Advances to a cycle: evaluates all cycles before it.
 * @param noc A network.
 * @param cycle The cycle, not before the present one and below PTXOFFLOAD_CYCLES. UINT64_MAX:
 *     until all packets that were accepted have arrived; without packets the network does not
 *     advance.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_NO_PROGRESS if packets wait for each other and no flit has
 *     moved for 10,000 cycles; PTXOFFLOAD_BAD_ARGUMENT if the cycle has passed or is not allowed.
 */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_noc_advance(struct ptxoffload_noc *noc,
                                                             uint64_t cycle);
/** Returns the next cycle to which an advance has an effect. Advances to cycles before it change
 * nothing.
 * @param noc A network, or NULL.
 * @return The cycle; UINT64_MAX for a network without packets, for NULL, and for a lost network. */
PTXOFFLOAD_API uint64_t ptxoffload_noc_next(const struct ptxoffload_noc *noc);
/** Returns the number of packets that were accepted and that ptxoffload_noc_completed() has not
 * returned.
 * @param noc A network, or NULL.
 * @return The number of packets; 0 for NULL and for a lost network. */
PTXOFFLOAD_API uint64_t ptxoffload_noc_pending(const struct ptxoffload_noc *noc);
/** Returns the next packet that has arrived completely, by cycle of its end. Each is returned once.
 * @param noc A network, or NULL.
 * @param to Filled with the packet.
 * @return 1; 0 without such a packet, if `size` is not allowed, and for NULL and a lost network.
 */
PTXOFFLOAD_API int ptxoffload_noc_completed(struct ptxoffload_noc *noc,
                                            struct ptxoffload_completion_info *to);
/** Finds the value of a statistic.
 * @param noc A network.
 * @param name Name in ptxoffload-noc --stats, such as "noc.class0.hops".
 * @param value Set to the value since cycle 0, in the unit of the statistic.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic for an unknown name. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_noc_statistic(struct ptxoffload_noc *noc,
                                                               const char *name, double *value);

#define PTXOFFLOAD_COMPLETION_INFO PTXOFFLOAD_SIZED(ptxoffload_completion_info)
#define PTXOFFLOAD_PACKET PTXOFFLOAD_SIZED(ptxoffload_packet)

#ifdef __cplusplus
}
#endif
#endif
