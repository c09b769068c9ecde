// f32 with the results of PTX, by integers: independent of the host's floating-point state.
//
// .ftz: a subnormal source becomes a zero of its sign, and so does a result that, rounded with an
// unbounded exponent, is below the least normal number. .sat: 0 … 1, and +0 for NaN. Every NaN
// result is 0x7fffffff.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PACKET_F32_NAN UINT32_C(0x7fffffff)
#define PACKET_F32_ONE UINT32_C(0x3f800000)

struct packet_rounding {
    uint8_t mode; // code_round, ROUND_UP at most
    bool ftz, sat;
};

bool packet_f32_is_nan(uint32_t a);
// Flushes a subnormal to a zero of its sign.
uint32_t packet_f32_flush(uint32_t a);
uint32_t packet_f32_saturate(uint32_t a);
// a · b and a · b + c, rounded once.
uint32_t packet_f32_mul(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_fma(struct packet_rounding how, uint32_t a, uint32_t b, uint32_t c);
uint32_t packet_f32_add(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_of_integer(struct packet_rounding how, bool negative, uint32_t magnitude);
// Rounds to an integer in f32.
uint32_t packet_f32_integral(struct packet_rounding how, uint32_t a);
// Converts to an integer of 32 bits. Values outside the range are clamped; NaN becomes 0.
uint32_t packet_f32_to_s32(struct packet_rounding how, uint32_t a);
uint32_t packet_f32_to_u32(struct packet_rounding how, uint32_t a);
// Compares two numbers, neither a NaN: returns below 0, 0 or above 0. Zeros are equal.
int packet_f32_order(uint32_t a, uint32_t b);
