// A kernel around a body, all of it on the line before the body's first. The body finds
//   %a %b %c %d  addresses of this thread's elements of four arrays (64 bits, global memory)
//   %g           a generic address
//   %u %ui       a kernel parameter as f32 and as u32
//   %v %vi       a value of its own for each thread, as f32 and as u32
//   %p %q        predicates that differ from thread to thread
//   %f1 … %r1 … %rd1 … %x1 (f64) %h1 (16 bits)
//   sm, cm       arrays in shared and in constant memory
#pragma once
#include <stdio.h>

#define KERNEL_LINES 6
#define KERNEL_HEAD                                                                                \
    ".version 7.5\n.target sm_75\n.address_size 64\n"                                              \
    ".func (.reg .f32 r) f (.reg .f32 x) { mov.f32 r, x; ret; } .const .f32 cm[64];\n"             \
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd, "           \
    ".param .f32 pu, .param .u32 pi)\n"                                                            \
    "{ .reg .b64 %a, %b, %c, %d, %g, %rd<20>; .reg .f32 %u, %v, %f<40>; "                          \
    ".reg .b32 %ui, %vi, %r<40>; .reg .pred %p, %q, %t<9>; .reg .f64 %x<9>; .reg .b16 %h<9>; "     \
    ".shared .align 4 .f32 sm[64]; .local .align 4 .f32 lm[4]; "                                   \
    "ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc]; "                        \
    "ld.param.u64 %d, [pd]; ld.param.f32 %u, [pu]; ld.param.u32 %ui, [pi]; "                       \
    "mov.u32 %vi, %tid.x; mul.wide.u32 %rd0, %vi, 4; cvt.rn.f32.u32 %v, %vi; "                     \
    "add.s64 %g, %a, %rd0; cvta.to.global.u64 %a, %a; cvta.to.global.u64 %b, %b; "                 \
    "cvta.to.global.u64 %c, %c; cvta.to.global.u64 %d, %d; add.s64 %a, %a, %rd0; "                 \
    "add.s64 %b, %b, %rd0; add.s64 %c, %c, %rd0; add.s64 %d, %d, %rd0; "                           \
    "setp.eq.u32 %p, %vi, 1; setp.eq.u32 %q, %vi, 2; bar.sync 0;\n"
#define KERNEL_TAIL "ret; }\n"

static inline void kernel_text(char *to, size_t size, const char *body)
{
    snprintf(to, size, "%s%s%s", KERNEL_HEAD, body, KERNEL_TAIL);
}
