// Machines for random kernels, as settings on top of isca19 or tom.
#pragma once

#define MESH(width, height, cores, partitions)                                                     \
    "request_network.width=" #width " request_network.height=" #height                             \
    " reply_network.width=" #width " reply_network.height=" #height " memory.cores=" #cores        \
    " memory.partition_nodes=" partitions " "
#define NETWORKS(setting) "request_network." setting " reply_network." setting " "
// Butterflies whose routers compute.
#define BUTTERFLIES(radix, stages)                                                                 \
    NETWORKS("topology=fly")                                                                       \
    NETWORKS("radix=" #radix)                                                                      \
    NETWORKS("stages=" #stages) NETWORKS("router_nodes=true") "reply_network.reversed=true "
// An L1 that hardly ever hits, so that much is offloaded.
// A packet-wide crossbar of 12 nodes.
#define PACKETS NETWORKS("topology=crossbar") NETWORKS("packet_wide=true") NETWORKS("nodes=12")
#define SECTORS "memory.sectors=true llc.sector_bytes=32 l1.sector_bytes=32 "
#define TINY "l1.sets=1 l1.ways=1 "
#define SMALL MESH(3, 3, 5, "[1,3,8]")

static const struct policy_machine {
    const char *name, *settings;
} machines[] = {
    {"isca19", "memory.cores=3"},
    {"3x3", SMALL},
    {"2x2", MESH(2, 2, 2, "[0,3]")},
    {"4x4", TINY MESH(4, 4, 10, "[1,6,11,12]") "memory.rule=xor"},
    {"queue1", TINY SMALL "offload.queue=1"},
    {"queue3", SMALL "offload.queue=3 offload.service_queue=3 offload.emn_at_llc=destination "
                     "offload.partial=true"},
    {"service1", TINY SMALL "offload.service_queue=1"},
    {"service2", TINY MESH(2, 2, 2, "[1,2]") "offload.service_queue=2 offload.buffer=1"},
    {"service3", SMALL "offload.service_queue=3 offload.queue=4 offload.core_alu=dedicated "
                       "offload.core_alu_width=4"},
    {"buffer1", TINY SMALL "offload.buffer=1 offload.alu_width=4"},
    {"destination",
     TINY MESH(4, 4, 6, "[0,5,10,15]") "offload.emn_at_llc=destination offload.partial=true"},
    {"none",
     TINY MESH(4, 4, 6, "[0,5,10,15]") "offload.emn_at_llc=none offload.core_alu=dedicated"},
    {"narrow", TINY SMALL NETWORKS("injection_queue=1") NETWORKS("ejection_queue=1")
                   NETWORKS("vc_buffer=1") "offload.packet_vcs=1"},
    {"narrower", SMALL NETWORKS("injection_queue=3")
                     NETWORKS("vcs=2") "offload.packet_vcs=1 "
                                       "memory.reply_queue=1 reply_network.injection_queue=2"},
    {"vcs", TINY SMALL "offload.packet_vcs=7 request_network.injection_queue=4 core.memory_most=4"},
    {"crossbar",
     TINY NETWORKS("topology=crossbar") NETWORKS("nodes=9") "memory.cores=5 "
                                                            "memory.partition_nodes=[0,4,8]"},
    {"fly", NETWORKS("topology=fly") NETWORKS("radix=3")
                NETWORKS("stages=2") "memory.cores=5 "
                                     "memory.partition_nodes=[0,4,8]"},
    {"routers", TINY BUTTERFLIES(3, 2) "memory.cores=5 memory.partition_nodes=[0,4,8]"},
    {"routers_4x3", BUTTERFLIES(4, 3) "memory.cores=4 "
                                      "memory.partition_nodes=[3,15,17,29,36,47,49,61]"},
    {"routers_queues",
     TINY BUTTERFLIES(2, 3) "memory.cores=5 memory.partition_nodes=[1,4,5] "
                            "offload.service_queue=1 offload.queue=4 offload.buffer=1 "
                            "offload.partial=true offload.alu_width=8"},
    {"routers_narrow",
     TINY BUTTERFLIES(2, 3) NETWORKS("injection_queue=1") NETWORKS("ejection_queue=1")
         NETWORKS("vc_buffer=1") "memory.cores=5 memory.partition_nodes=[0,6,7] "
                                 "offload.service_queue=2 offload.emn_at_llc=none "
                                 "memory.reply_queue=1 offload.packet_vcs=1"},
    {"routers_one_stage",
     BUTTERFLIES(6, 1) "memory.cores=4 memory.partition_nodes=[0,5] core.shared_bytes=24576"},
    {"l1", SMALL "l1.sets=1 l1.ways=1 l1.mshrs=1 l1.merges=1 l1.out=2 l1.answers=1 l1.input=1"},
    {"l1_sectors", SMALL "l1.sector_bytes=32 memory.sectors=true"},
    {"no_l1", SMALL "core.l1_global=false core.l1_local=false"},
    {"llc", MESH(2, 2, 2, "[0,3]") "llc.sets=1 llc.ways=2 llc.mshrs=2 llc.merges=1 llc.out=2 "
                                   "llc.input=1 llc.answers=1 llc.access_queue=2"},
    {"llc_slow", TINY SMALL "llc.sets=1 llc.ways=4 memory.llc_clock=350 memory.network_clock=700"},
    {"lrr", TINY SMALL "core.scheduler=lrr core.schedulers=2 core.buffer=4"},
    {"schedulers", SMALL "core.schedulers=4 core.alu_units=2 core.buffer=8 core.pipeline=0 "
                         "core.decode_latency=0"},
    {"subcores", SMALL "core.schedulers=4 core.subcores=true core.alu_units=4 core.int_units=4 "
                       "core.sfu_units=4 core.fetch_width=4 core.scheduler=lrr "
                       "code_cache.perfect=true constant_cache.perfect=true"},
    {"collectors", TINY SMALL "core.schedulers=2 core.subcores=true core.collectors=1 "
                              "core.register_banks=1 core.alu_units=2 core.fetch_instructions=1"},
    {"collectors_shared", SMALL "core.schedulers=3 core.collectors=2 core.int_units=1 "
                                "core.pipeline=0 core.buffer=4 core.fetch_instructions=4"},
    {"code_levels", SMALL "code_l0.sets=1 code_l0.ways=1 read_only_l15.sets=2 code_cache.sets=1 "
                          "code_cache.ways=1 code_cache.prefetch=3 core.accesses=4 "
                          "core.atomic_turns=true machine.cta_latency=40"},
    {"posted_stores", TINY SMALL "core.posted_stores=true core.ctas=2 machine.cta_latency=7"},
    {"memory_queue", TINY SMALL "core.memory_queue=1 core.memory_most=6"},
    {"memory_most", SMALL "core.memory_queue=1 core.memory_most=2"},
    {"one_core", MESH(3, 1, 1, "[0,2]") "offload.service_queue=4 offload.partial=true"},
    {"no_room", SMALL "core.shared_bytes=24576"},
    {"credits", TINY SMALL "offload.full_queue=credits offload.service_queue=1"},
    {"credits_partial", SMALL "offload.full_queue=credits offload.service_queue=2 "
                              "offload.partial=true"},
    {"waits", TINY SMALL NETWORKS("injection_queue=1") "offload.full_queue=wait "
                                                       "offload.service_queue=1 "
                                                       "offload.pending_miss=miss"},
    {"readings",
     SMALL "offload.lookups=first offload.flushed_loads=direct "
           "offload.bounced_loads=allocate offload.service_queue=2 offload.partial=true"},
    {"operand", TINY MESH(4, 4, 6, "[0,5,10,15]") "offload.emn_at_llc=operand"},
    {"operand_queues", SMALL "offload.emn_at_llc=operand offload.service_queue=3 offload.queue=4 "
                             "offload.partial=true offload.full_queue=credits"},
    {"operand_crossbar",
     TINY NETWORKS("topology=crossbar") NETWORKS("nodes=9") "memory.cores=5 "
                                                            "memory.partition_nodes=[0,4,8] "
                                                            "offload.emn_at_llc=operand "
                                                            "offload.merge_operands=true"},
    {"merge", TINY SMALL "offload.merge_operands=true"},
    {"merge_queues", TINY SMALL "offload.merge_operands=true offload.service_queue=4 "
                                "offload.buffer=1 offload.full_queue=wait"},
    {"operand_sectors", TINY SMALL "offload.operand_sectors=true"},
    {"operand_all", TINY MESH(4, 4, 10, "[1,6,11,12]") "offload.emn_at_llc=operand "
                                                       "offload.merge_operands=true "
                                                       "offload.operand_sectors=true"},
    {"merge_routers", TINY BUTTERFLIES(3, 2) "memory.cores=5 memory.partition_nodes=[0,4,8] "
                                             "offload.merge_operands=true "
                                             "offload.operand_sectors=true"},
    {"operands_in_l1",
     MESH(4, 4, 10, "[1,6,11,12]") "l1.sets=4 l1.ways=2 offload.operands_in_l1=true"},
    {"l1_merge", MESH(3, 3, 5, "[1,3,8]") "l1.sets=2 l1.ways=4 offload.operands_in_l1=true "
                                          "offload.merge_operands=true offload.service_queue=4"},
    {"l1_written",
     MESH(4, 4, 10, "[1,6,11,12]") "l1.sets=4 l1.ways=2 l1.allocate_writes=true l1.latency=1 "
                                   "offload.operands_in_l1=true offload.bounced_loads=allocate "
                                   "offload.service_queue=3"},
    {"adaptive_routing", SMALL NETWORKS("routing=adaptive") NETWORKS("vcs=4")},
    {"packets", TINY PACKETS "memory.cores=5 memory.partition_nodes=[8,9,10,11] "
                             "memory.channel_slices=2 memory.rule=ipoly llc.hash=ipoly"},
    {"packets_narrow",
     PACKETS NETWORKS("injection_queue=1") NETWORKS("ejection_queue=1") NETWORKS("clusters=2")
         NETWORKS("cluster_nodes=4") "memory.cores=5 memory.partition_nodes=[0,9,3] "
                                     "memory.rule=ipoly memory.reply_queue=1 offload.queue=3"},
    {"sector_replies", TINY PACKETS SECTORS "memory.cores=5 memory.partition_nodes=[8,11] "
                                            "memory.sector_replies=true"},
    {"two_sectors", TINY PACKETS SECTORS "memory.cores=5 memory.partition_nodes=[8,11] "
                                         "memory.sector_replies=true memory.reply_sectors=2 "
                                         "llc.atomic_latency=40"},
    {"written_sectors", SMALL SECTORS "l1.allocate_writes=true l1.banks=4 l1.bank_bytes=32 "
                                      "l1.port_bytes=32 l1.sets=1 l1.ways=100"},
    {"written_lines", TINY SMALL "l1.allocate_writes=true memory.far_delay=40 "
                                 "machine.copies_to_llc=true"},
    {"bank_refresh", TINY SMALL "dram.tREFI=600 dram.tRFC=30 dram.refresh=bank "
                                "dram.bank_xor=false dram.bank_bits=[9,13,12]"},
    {"xy", SMALL NETWORKS("routing=xy") "offload.queue=2 code_cache.sets=1 code_cache.ways=1"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

#define REGIONS "tom.candidates=regions "
// With memory stacks, for policies that offload blocks.
static const struct policy_machine stack_machines[] = {
    {"stacks", "memory.cores=8 tom.window=48 tom.pause=1"},
    {"stacks_small", REGIONS "memory.cores=8 l1.sets=1 l1.ways=2 llc.sets=4 llc.ways=2 "
                             "stack.port_queue=1 stack.vault_queue=1 stack.tlb_entries=1 "
                             "memory.port_queue=1 tom.drain=warp tom.condition=min"},
    {"stacks_learn", REGIONS "memory.cores=8 tom.map=tmap tom.learn_least=4 tom.pcie_ns=100"},
    {"stacks_ranges", REGIONS "memory.cores=12 tom.map=ranges tom.learn_instances=2 "
                              "tom.live_ins=once tom.parameters=sent"},
    {"stacks_static", "memory.cores=8 tom.map=static tom.invalidate=epoch tom.tag=threshold"},
    {"stacks_sectors", SECTORS "memory.cores=8 l1.allocate_writes=true memory.rule=ipoly "
                               "llc.hash=ipoly dram.tREFI=600 dram.tRFC=30 dram.refresh=bank"},
    {"stacks_two", REGIONS "memory.cores=6 stack.stacks=2 tom.invalidate=none tom.busy=1"},
    {"stacks_sm", REGIONS "memory.cores=8 tom.sm_warps=2 tom.sm_issue=2 tom.sm_mshrs=1 "
                          "tom.condition=first tom.cost=refined tom.window=48 tom.sample=3"},
};
// With memory stacks and chains near the LLC, for all policies.
static const struct policy_machine both_machines[] = {
    {"both", "memory.cores=8 tom.window=48 tom.pause=1"},
    {"both_small", REGIONS TINY "memory.cores=8 offload.queue=3 tom.window=48"},
};

enum { FOR_CHAINS = 4, POLICIES = 10 };
static const char *const policies[POLICIES] = {
    "omni",     "llc",     "adaptive",     "baseline",  "tom-no-ctrl",
    "tom-ctrl", "tom-alu", "tom-measured", "tom-ideal", "tom-ideal-ctrl",
};

// The machines of a configuration, and their policies: a half-open range.
static const struct machine_group {
    const char *name, *config;
    const struct policy_machine *machines;
    uint32_t count, first, end;
} groups[] = {
    {"chains", "isca19", machines, MACHINES, 0, FOR_CHAINS},
    {"stacks", "tom", stack_machines, sizeof stack_machines / sizeof *stack_machines, FOR_CHAINS,
     POLICIES},
    {"both", "isca19-stacks", both_machines, sizeof both_machines / sizeof *both_machines, 0,
     POLICIES},
};
enum { GROUPS = sizeof groups / sizeof *groups };
