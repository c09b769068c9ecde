// Writes the measurements of chains and blocks, for profiles.
#pragma once
#include "backend/tables/tables.h"
#include "tools/sim/sim_facts.h"

struct json;
// Adds the members tagged_from, policy, machine and offloaded to a profile. Source places are those
// of `tables`, the program's metadata.
void sim_outcomes_write(const struct sim_report *report, const struct tables *tables,
                        struct json *json);
