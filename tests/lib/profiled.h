// A program and a profile of it as ptxoffload-sim --profile-out writes them, with counts of caches.
#pragma once

// clang-format off
#define PROFILED_PTX \
    ".version 7.5\n" \
    ".target sm_75\n" \
    ".address_size 64\n" \
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn)\n" \
    "{\n" \
    ".reg .pred %p; .reg .b32 %t, %i, %n, %x; .reg .b64 %a, %b, %c, %d; .reg .f32 %f;\n" \
    "ld.param.u64 %a, [pa];\n" \
    "ld.param.u64 %b, [pb];\n" \
    "ld.param.u32 %n, [pn];\n" \
    "mov.u32 %t, %tid.x;\n" \
    "mul.wide.u32 %c, %t, 4;\n" \
    "add.s64 %a, %a, %c;\n" \
    "mov.u32 %i, 0;\n" \
    "LOOP:\n" \
    "ld.global.u32 %x, [%a];\n" \
    "mul.wide.u32 %d, %x, 4;\n" \
    "add.s64 %d, %b, %d;\n" \
    "ld.global.f32 %f, [%d];\n" \
    "st.global.f32 [%d+4], %f;\n" \
    "add.s32 %i, %i, 1;\n" \
    "setp.lt.u32 %p, %i, %n;\n" \
    "@%p bra LOOP;\n" \
    "ret;\n" \
    "}\n"

#define PROFILED_SHA256 "061576493cd313bbf36bf8bdf574ee813d6ad7d70173f6f6b86f04e9f18f14cb"

#define PROFILED_JSON \
    "{\"format\": \"ptxoffload-profile\", \"version\": 1,\n" \
    "\"source\": {\"file\": \"k.ptx\", \"sha256\": \"061576493cd313bbf36bf8bdf574ee813d6ad7d70173f6f6b86f04e9f18f14cb\"},\n" \
    "\"line_bytes\": 128, \"sector_bytes\": 32,\n" \
    "\"kernels\": [{\"name\": \"k\", \"launches\": 1, \"block\": [64, 1, 1], \"functions\": [{\"name\": \"k\",\n" \
    "\"instructions\": [\n" \
    "{\"line\": 13, \"column\": 1, \"index\": 6, \"opcode\": \"mov.u32\", \"executions\": 8, \"threads\": 256, \"active\": 8, \"lanes\": 256, \"parted\": 0, \"defined\": 8, \"uniform\": 0},\n" \
    "{\"line\": 15, \"column\": 1, \"index\": 7, \"opcode\": \"ld.global.u32\", \"executions\": 8, \"threads\": 256, \"active\": 8, \"lanes\": 256, \"parted\": 0, \"defined\": 8, \"uniform\": 0, \"memory\": {\"all\": {\"accesses\": 8, \"lines\": 8, \"sectors\": 32, \"least_lines\": 1, \"most_lines\": 1, \"uniform_addresses\": 0}, \"full\": {\"accesses\": 8, \"lines\": 8, \"sectors\": 32, \"least_lines\": 1, \"most_lines\": 1, \"uniform_addresses\": 0}, \"shared\": 0}},\n" \
    "{\"line\": 18, \"column\": 1, \"index\": 10, \"opcode\": \"ld.global.f32\", \"executions\": 8, \"threads\": 256, \"active\": 8, \"lanes\": 256, \"parted\": 0, \"defined\": 8, \"uniform\": 0, \"memory\": {\"all\": {\"accesses\": 8, \"lines\": 20, \"sectors\": 40, \"least_lines\": 1, \"most_lines\": 4, \"uniform_addresses\": 0}, \"full\": {\"accesses\": 4, \"lines\": 12, \"sectors\": 20, \"least_lines\": 2, \"most_lines\": 4, \"uniform_addresses\": 0}, \"shared\": 0, \"l1\": {\"accesses\": 20, \"hits\": 5, \"merged\": 5}, \"llc\": {\"accesses\": 10, \"hits\": 6, \"merged\": 0}}},\n" \
    "{\"line\": 19, \"column\": 1, \"index\": 11, \"opcode\": \"st.global.f32\", \"executions\": 8, \"threads\": 256, \"active\": 8, \"lanes\": 256, \"parted\": 0, \"defined\": 8, \"uniform\": 0, \"memory\": {\"all\": {\"accesses\": 8, \"lines\": 24, \"sectors\": 40, \"least_lines\": 3, \"most_lines\": 3, \"uniform_addresses\": 0}, \"full\": {\"accesses\": 0, \"lines\": 0, \"sectors\": 0, \"least_lines\": 0, \"most_lines\": 0, \"uniform_addresses\": 0}, \"shared\": 0}}],\n" \
    "\"loops\": [{\"line\": 15, \"column\": 1, \"index\": 7, \"entries\": 64, \"iterations\": 256, \"least\": 4, \"most\": 4}]}]}]}\n"
// clang-format on
