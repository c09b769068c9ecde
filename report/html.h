// Shared by the files that write the page of a simulation.
#pragma once
#include "report/sim_report.h"

struct html {
    const struct sim_view *view;
    const struct sim_report *report;
    struct arena *arena;
    FILE *to;
};

// Writes an element with an escaped text. `tag` may have attributes.
void html_tag(const struct html *h, const char *tag, const char *text);
// Returns the kernel with which the page begins: the only one, or all together.
const struct sim_kernel *html_main_kernel(const struct sim_report *report);
// Writes the start of the page: what the run took, beside the other run, and what limits it.
void html_verdict(const struct html *h);
// Write what limits a kernel as sentences, and its phases as bars whose sections are the limits.
void html_explanation(const struct html *h, const struct sim_kernel *kernel);
void html_phases(const struct html *h, const struct sim_kernel *kernel);
