// The reason for which a launch ended early, and its place.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { FAULT_TEXT = 256, FAULT_NEAREST = 160 };

struct fault {
    bool happened;
    bool refused;    // no thread has run, because the launch does not fit the machine for the
                     // reason in `text`
    uint32_t launch; // id of the launch
    char text[FAULT_TEXT];
    uint32_t function, inst; // program function and instruction
    uint32_t cta[3], thread[3];
    uint64_t needs_word; // address of an empty word that a load needs; 0: another fault
    bool has_address;
    uint64_t address;
    char nearest[FAULT_NEAREST]; // description of the location, or ""
};
