// Reports: the text, and the sums in text and JSON.
#include "tests/unit/backend/made.h"
#include "tests/unit/backend/texts.h"

static char *text_of(const struct tables *tables, bool colour)
{
    char *text = NULL;
    size_t length = 0;
    struct memory memory = {0};
    struct arena arena;
    FILE *to = open_memstream(&text, &length);
    arena_init(&arena, &memory);
    report_text(tables, &arena, to, (struct report_style){.colour = colour, .width = 100});
    fclose(to);
    memory_free(&memory);
    return text;
}

static char *json_of(const struct tables *tables)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    report_json(tables, to);
    fclose(to);
    return text;
}

static struct table_instruction instructions[] = {
    {44, 2, 17, 1, "ld.global.f32"},
    {45, 2, 18, 2, "ld.global.f32"},
    {46, 2, 19, 2, "add.f32"},
    {49, 2, 20, 3, "st.global.f32"},
};
static const char *names[] = {"%rd1", "%tid.x"};
static struct table_chain chains[] = {
    {.pattern = 1,
     .instructions = {instructions, 4, 4},
     .response_flits = 1,
     .saving = 16,
     .expected_saving = 15.25},
};
static struct table_estimate alternatives[] = {
    {.cost = COST_REFINED, .bw_tx = 1, .bw_rx = 2, .threshold_tx = 9},
};
static struct table_block blocks[] = {
    {
        .id = 0,
        .kind = BLOCK_LOOP,
        .begin_line = 110,
        .end_line = 118,
        .begin_index = 3,
        .end_index = 9,
        .live_in = {names, 2, 2},
        .loads = 1,
        .stores = 1,
        .estimate = {.bw_tx = 126.5,
                     .bw_rx = -16.25,
                     .at_tx = 26,
                     .at_rx = -65,
                     .threshold_tx = 5,
                     .threshold_rx = 1,
                     .saves = SAVES_RX,
                     .candidate = true},
        .has_condition = true,
        .condition = "max(%r1, 1)",
        .threshold = 4,
        .alternatives = {alternatives, 1, 1},
    },
    {
        .id = 1,
        .kind = BLOCK_BASIC,
        .begin_line = 7,
        .end_line = 7,
        .begin_index = 1,
        .end_index = 1,
        .live_out = {names, 1, 1},
        .loads = 2,
        .estimate = {.bw_tx = -37, .bw_rx = -0.25, .saves = SAVES_TX | SAVES_RX, .candidate = true},
        .passed_over = true,
    },
    {.id = 2,
     .kind = BLOCK_REGION,
     .begin_line = 7,
     .end_line = 9,
     .begin_index = 1,
     .end_index = 2},
};
static struct table_rejection rejected[] = {
    {132, 5, CANDIDATE_LOAD, RULE_VARYING_SCALAR, 120,
     "%f28 in the mul in line 133 may differ between the lanes of a warp"},
    {7, 1, CANDIDATE_BLOCK, RULE_PASSED_OVER, 0, "an overlapping candidate saves more"},
};
static struct table_kernel kernels[] = {
    {.name = "vecadd",
     .instructions = 22,
     .loads = 3,
     .chains = {chains, 1, 1},
     .blocks = {blocks, 3, 3},
     .rejected = {rejected, 2, 2}},
    {.name = "empty"},
};
static const struct tables tables = {
    .version = 1,
    .source = {.file = "in.ptx"},
    .output = {.file = "out.ptx"},
    .options = {.cost = COST_TOM, .fma = FMA_SPLIT, .reorder = true},
    .kernels = {kernels, 2, 2},
};

static void test_text(void **state)
{
    (void)state;
    char *text = text_of(&tables, false);
    assert_string_equal(
        text,
        "in.ptx -> out.ptx\n"
        "cost model tom | multiply-adds split | order changed for chains\n"
        "\n"
        "summary of 2 kernels\n"
        "  chains   1 | 2 of 3 loads (67 %) and 4 of 22 instructions (18 %) tagged | save 16 flits "
        "per warp\n"
        "           and hop, 15.25 expected | 1 kernel without room for the service queue\n"
        "           1 rejected: 1 varying-scalar\n"
        "  blocks   1 of 3 selected (1 under a condition) | save 39 words per warp\n"
        "           1 rejected: 1 passed-over\n"
        "\n"
        "kernel vecadd\n"
        "  chain 0  pattern 1, c = f(a,b) | response ack, 1 flit | saves 16 flits per warp and "
        "hop, 15.25\n"
        "           expected\n"
        "           in.ptx:44..49\n"
        "           ld.global.f32, ld.global.f32, add.f32, st.global.f32\n"
        "  block 0  loop | candidate if max(%r1, 1) >= 4\n"
        "           in.ptx:110..118 | 1 load, 1 store\n"
        "           live-in 2: %rd1, %tid.x\n"
        "           live-out 0\n"
        "           BW_TX +126.5, BW_RX -16.25, sum +110.25 | cost model tom\n"
        "           at the threshold TX +26, RX -65, saves RX | iterations: TX from 5, RX from 1\n"
        "           BW_TX +1, BW_RX +2, sum +3 | cost model refined\n"
        "           at the threshold TX +0, RX +0, saves nothing | iterations: TX from 9, RX "
        "never\n"
        "  block 1  block | passed over\n"
        "           in.ptx:7 | 2 loads, 0 stores\n"
        "           live-in 0\n"
        "           live-out 1: %rd1\n"
        "           BW_TX -37, BW_RX -0.25, sum -37.25 | cost model tom | saves TX and RX\n"
        "  block 2  region | not a candidate\n"
        "           in.ptx:7..9 | 0 loads, 0 stores\n"
        "           live-in 0\n"
        "           live-out 0\n"
        "           BW_TX +0, BW_RX +0, sum +0 | cost model tom | saves nothing\n"
        "  rejected\n"
        "  132:5    load | %f28 in the mul in line 133 may differ between the lanes of a warp\n"
        "           [varying-scalar] because of line 120\n"
        "  7:1      block | an overlapping candidate saves more [passed-over]\n"
        "  summary  1 chain | 2 of 3 loads (67 %) and 4 of 22 instructions (18 %) tagged | 1 of 3 "
        "blocks\n"
        "           selected (1 under a condition) | 2 rejected\n"
        "\n"
        "kernel empty\n"
        "  summary  0 chains | 0 of 0 loads (0 %) and 0 of 0 instructions (0 %) tagged | 0 of 0 "
        "blocks\n"
        "           selected | 0 rejected\n"
        "\n");
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    char *text = json_of(&tables);
    const char *summary = strstr(text, "  \"summary\"");
    assert_non_null(summary);
    assert_string_equal(
        summary,
        "  \"summary\": {\n"
        "    \"kernels\": [\n"
        "      {\"name\": \"vecadd\", \"instructions\": 22, \"instructions_tagged\": 4, \"loads\": "
        "3, "
        "\"loads_tagged\": 2, \"chains\": 1, \"blocks\": 3, \"candidates\": 2, \"chosen\": 1, "
        "\"conditional\": 1, \"rejected\": 2},\n"
        "      {\"name\": \"empty\", \"instructions\": 0, \"instructions_tagged\": 0, \"loads\": "
        "0, "
        "\"loads_tagged\": 0, \"chains\": 0, \"blocks\": 0, \"candidates\": 0, \"chosen\": 0, "
        "\"conditional\": 0, \"rejected\": 0}\n"
        "    ],\n"
        "    \"total\": {\"instructions\": 22, \"instructions_tagged\": 4, \"loads\": 3, "
        "\"loads_tagged\": 2, \"chains\": 1, \"blocks\": 3, \"candidates\": 2, \"chosen\": 1, "
        "\"conditional\": 1, \"rejected\": 2}\n"
        "  }\n"
        "}\n");
    free(text);
}

// Only the colours differ, and no line ends within a colour.
static void test_colour(void **state)
{
    (void)state;
    char *plain = text_of(&tables, false), *text = text_of(&tables, true);
    assert_null(strchr(plain, '\033'));
    size_t to = 0, colours = 0;
    for (size_t at = 0; text[at]; at++) {
        if (text[at] != '\033') {
            text[to++] = text[at];
            continue;
        }
        colours++;
        at += strcspn(text + at, "m\n");
        assert_int_equal(text[at], 'm');
    }
    text[to] = 0;
    assert_string_equal(text, plain);
    assert_true(colours > 4);
    free(plain);
    free(text);
}

// The most frequent rules come first; the summary counts the others.
static void test_reasons(void **state)
{
    (void)state;
    static const enum plan_rule rules[] = {
        RULE_TYPE,   RULE_REUSE,  RULE_SHARED, RULE_SHARED, RULE_ORDER, RULE_REUSE, RULE_SPACE,
        RULE_SHARED, RULE_ATOMIC, RULE_REUSE,  RULE_CALL,   RULE_REUSE, RULE_SPACE};
    enum { COUNT = sizeof rules / sizeof *rules };
    struct table_rejection made[COUNT + 2] = {{.kind = CANDIDATE_KERNEL, .rule = RULE_SHARED},
                                              {.kind = CANDIDATE_MAP, .rule = RULE_MAP_CALL}};
    for (size_t i = 0; i < COUNT; i++)
        made[i + 2] = (struct table_rejection){
            .kind = i % 2 ? CANDIDATE_LOAD : CANDIDATE_STORE, .rule = rules[i], .text = ""};
    made[0].text = made[1].text = "";
    struct table_chain saving = chains[0];
    saving.saving = 12345;
    saving.expected_saving = 1234.56;
    struct table_kernel own[] = {{.name = "a",
                                  .service_queue_at_core = true,
                                  .chains = {&saving, 1, 1},
                                  .rejected = {made, 9, 9}},
                                 {.name = "b", .rejected = {made + 9, COUNT - 7, COUNT - 7}}};
    struct tables two = tables;
    two.kernels.v = own;
    char *text = text_of(&two, false);
    const char *summary = strstr(text, "summary of");
    assert_non_null(summary);
    *strstr(summary, "\nkernel a") = 0;
    assert_string_equal(
        summary,
        "summary of 2 kernels\n"
        "  chains   1 | 2 of 0 loads (0 %) and 4 of 0 instructions (0 %) tagged | save 12345 flits "
        "per warp\n"
        "           and hop, 1235 expected\n"
        "           13 rejected: 4 reuse, 3 shared, 2 space, 1 type, 1 atomic, 2 by 2 other rules\n"
        "  blocks   0 of 0 selected\n"
        "  maps     0\n"
        "           1 rejected: 1 map-call\n");
    free(text);
}

// Checks that no line is longer than 100 characters, except for one word, or has control
// characters.
static void check_lines(const char *text)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        assert_int_equal(at[length], '\n');
        for (size_t i = 0; i < length; i++)
            assert_true((unsigned char)at[i] >= ' ' && at[i] != 127);
        size_t blanks = strspn(at, " ");
        if (length > 100 && memchr(at + blanks, ' ', length - blanks))
            fail_msg("%.*s", (int)length, at);
        at += length + 1;
    }
}

static void test_width(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++)
        for (size_t i = 0; i < ODD_TEXTS; i++) {
            struct made m;
            made_emit(&m, odd_texts[i], strlen(odd_texts[i]), TAGS_NONE, seed & 1, seed);
            m.output.tables.source.file = "a\tname\nwith\033control.ptx";
            char *text = text_of(&m.output.tables, false);
            check_lines(text);
            free(text);
            program_free(&m.program);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_json),  cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_colour), cmocka_unit_test(test_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
