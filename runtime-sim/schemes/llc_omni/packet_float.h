// f32 arithmetic with the results of PTX. It uses integers, and is independent of the host's
// floating-point state.
//
// With .ftz, a subnormal source becomes a zero of its sign, and so does a result that is below the
// least normal number when rounded with an unbounded exponent. With .sat, results are clamped to
// 0 … 1, and NaN becomes +0. Every NaN result is 0x7fffffff.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PACKET_F32_NAN UINT32_C(0x7fffffff)
#define PACKET_F32_ONE UINT32_C(0x3f800000)

struct packet_rounding {
    uint8_t mode; // code_round, at most ROUND_UP
    bool ftz, sat;
};

// Returns true for a NaN.
bool packet_f32_is_nan(uint32_t a);
// Flushes a subnormal to a zero of its sign.
uint32_t packet_f32_flush(uint32_t a);
// Clamps to 0 … 1; NaN becomes +0.
uint32_t packet_f32_saturate(uint32_t a);
// Return a · b (mul), a · b + c (fma), a + b (add), and ±magnitude (of_integer), each rounded once.
uint32_t packet_f32_mul(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_fma(struct packet_rounding how, uint32_t a, uint32_t b, uint32_t c);
uint32_t packet_f32_add(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_of_integer(struct packet_rounding how, bool negative, uint32_t magnitude);
// Rounds to an integer in f32.
uint32_t packet_f32_integral(struct packet_rounding how, uint32_t a);
// Convert to a signed or an unsigned 32-bit integer. Values outside the range are clamped, and NaN
// becomes 0.
uint32_t packet_f32_to_s32(struct packet_rounding how, uint32_t a);
uint32_t packet_f32_to_u32(struct packet_rounding how, uint32_t a);
// Compares two numbers. Requires that neither is a NaN. Returns a value below, equal to or above 0.
// Zeros are equal.
int packet_f32_order(uint32_t a, uint32_t b);
