// Differences of two reports: chains, blocks and rejected candidates that appeared, vanished or
// changed from one set of tables to another, matched by their contents and not by their line alone.
#pragma once
#include "backend/emit/text.h"
#include "backend/tables/tables.h"

// Kinds of items that are compared. Blocks that are not offloaded are items too.
enum report_item_kind { ITEM_CHAIN, ITEM_BLOCK, ITEM_REJECTION, ITEM_KINDS };

enum { ITEM_NUMBERS = 7 };

// A chain, block or rejected candidate of one report.
struct report_item {
    enum report_item_kind kind;
    enum candidate_kind candidate; // of a rejection
    uint32_t line, column;         // of its first instruction; column 0: unknown
    uint32_t end_line;             // of its last one
    const char *source_file;       // CUDA source; "": unknown
    uint32_t source_line;          // 0: unknown
    const char *text;              // its first instruction, or the opcode alone; "": unknown
    const char *head, *whole;      // keys of the matching: its first instruction, and all of it
    const char *verdict;           // a chain's form, a block's verdict, a rejection's rule
    const char *reason;            // of a rejection: the sentence; else ""
    double numbers[ITEM_NUMBERS];  // in the order of difference_numbers
    bool matched;
};

// Names of an item's numbers, NULL after the last.
extern const char *const difference_numbers[ITEM_KINDS][ITEM_NUMBERS + 1];
extern const char *const item_names[]; // enum report_item_kind

enum change_kind { CHANGE_APPEARED, CHANGE_VANISHED, CHANGE_CHANGED, CHANGE_KINDS };
extern const char *const change_names[]; // enum change_kind

struct difference {
    const char *kernel;
    enum change_kind change;
    enum report_item_kind kind;
    const struct report_item *before, *after; // `before` NULL: appeared; `after` NULL: vanished
    // For a chain: the rejection of one of its instructions in the other report, which says why the
    // chain is not found there. May be NULL.
    const struct report_item *instead;
};

struct difference_kernel {
    const char *name;
    enum change_kind change; // CHANGE_APPEARED or CHANGE_VANISHED
};

struct differences {
    const struct tables *before, *after;
    const char *before_name, *after_name;  // of the reports
    bool same_source;                      // both are of the same text, so lines are compared
    bool by_source;                        // places of the CUDA source come first
    bool by_text;                          // both have the text of instructions
    VEC(struct difference) list;           // by kernel as in `after`, then vanished ones; by place
    VEC(struct difference_kernel) kernels; // kernels that appeared or vanished
    uint32_t counts[ITEM_KINDS][CHANGE_KINDS];
    uint32_t equal[ITEM_KINDS]; // items that are the same in both
};

// Compares the tables, which must outlive the result. Requires zeroed `differences`, except for the
// names of the reports and `by_source`.
void differences_find(struct differences *differences, struct arena *arena,
                      const struct tables *before, const struct tables *after);

// Writes the differences as text. The arena is for demangled names.
void differences_text(const struct differences *differences, struct arena *arena, FILE *to);
// Writes the document {"format": "ptxoffload-differences", …} of docs/reference/report.md.
void differences_json(const struct differences *differences, FILE *to);
// Writes the differences as a self-contained HTML page.
void differences_page(const struct differences *differences, struct arena *arena, FILE *to);

// For these writers. Writes the item's lines to `text`: "44", or "39..49". Returns `text`.
const char *item_lines(char text[2 * 24], const struct report_item *item);
// Returns true if the numbers differ by more than rounding.
bool numbers_differ(double before, double after);

// Collects the items of a kernel for the comparison of two reports.

struct report_item_list {
    bool by_text;                 // both reports have the text of instructions: compare it
    VEC(struct report_item) list; // chains, blocks, rejections
};

// Adds the kernel's chains, blocks and rejections. Requires `by_text`.
void items_of(struct report_item_list *to, struct arena *arena, const struct tables *tables,
              const struct table_kernel *kernel);
