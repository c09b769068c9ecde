// f32 as PTX computes it, by integers: no state of the host's floating point matters.
//
// .ftz: a subnormal source is a zero of its sign, and so is a result below the least normal number,
// as rounded with an exponent as small as need be. .sat: 0 … 1, and +0 for NaN. Every NaN that is
// made is 0x7fffffff.
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
// A subnormal becomes a zero of its sign.
uint32_t packet_f32_flush(uint32_t a);
uint32_t packet_f32_saturate(uint32_t a);
// a · b and a · b + c, rounded once.
uint32_t packet_f32_mul(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_fma(struct packet_rounding how, uint32_t a, uint32_t b, uint32_t c);
uint32_t packet_f32_add(struct packet_rounding how, uint32_t a, uint32_t b);
uint32_t packet_f32_of_integer(struct packet_rounding how, bool negative, uint32_t magnitude);
// To an integer that stays in f32.
uint32_t packet_f32_integral(struct packet_rounding how, uint32_t a);
// To an integer of 32 bits; what is outside of the range becomes its end, NaN 0.
uint32_t packet_f32_to_s32(struct packet_rounding how, uint32_t a);
uint32_t packet_f32_to_u32(struct packet_rounding how, uint32_t a);
// Numbers, which neither is a NaN, compared: below 0, 0, above 0. Zeros are the same.
int packet_f32_order(uint32_t a, uint32_t b);
