// Accesses to random surfaces, inside and outside of their bounds, compared with a table of bytes.
#include "tests/unit/runtime-sim/numbers.h"
#include "runtime-sim/exec/memory/texture.h"

enum { LANES_USED = 32, CASES = 2500, BYTES = 1 << 16, HANDLE = 0x99, VALUES = 8 };

enum operation { LOAD, STORE, STORE_TEXEL, REDUCE, REDUCE_TEXEL };
enum bounds { TRAP, CLAMP, ZERO };

struct form {
    enum operation operation;
    int shape; // index in `names`
    enum bounds bounds;
    uint32_t bytes, elements; // of an element
    const char *reduction;    // "min.s32"
};

struct point {
    int32_t at[3];
    uint32_t layer;
    uint64_t value[2 * VALUES / 4];
};

static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d"};
static const uint32_t dimensions[] = {1, 2, 3, 1, 2};
static const char *const coordinates[] = {"{%r0}", "{%r0,%r1}", "{%r0,%r1,%r2,%r2}", "{%r3,%r0}",
                                          "{%r3,%r0,%r1,%r1}"};
static const char *const bounds_words[] = {"trap", "clamp", "zero"};
static const char *const reductions[] = {"add.u32", "add.s32", "add.u64", "min.u32",
                                         "min.s32", "max.u32", "max.s32", "min.u64",
                                         "max.s64", "and.b32", "or.b32"};
static const char *const texel_reductions[] = {"add.b32", "min.b32", "max.b32", "and.b32",
                                               "or.b32",  "min.b64", "max.b64"};

static const char *vector_word(uint32_t elements)
{
    return elements == 4 ? ".v4" : elements == 2 ? ".v2" : "";
}

// Writes the registers of the values: %h, %w or %d, for 16, 32 and 64 bits.
static void put_values(FILE *to, const struct form *form)
{
    char kind = form->bytes == 8 ? 'd' : form->bytes == 4 ? 'w' : 'h';
    fprintf(to, "{");
    for (uint32_t i = 0; i < form->elements; i++)
        fprintf(to, "%s%%%c%u", i ? "," : "", kind, 10 + i);
    fprintf(to, "}");
}

static void put_moves(FILE *to, const struct form *form, const char *from, const char *base,
                      bool loads)
{
    uint32_t bits = form->bytes == 1 ? 8 : form->bytes * 8;
    char kind = form->bytes == 8 ? 'd' : form->bytes == 4 ? 'w' : 'h';
    for (uint32_t i = 0; i < form->elements; i++)
        if (loads)
            fprintf(to, "ld.global.b%u %%%c%u, [%s+%u];\n", bits, kind, 10 + i, base,
                    16 + i * form->bytes);
        else
            fprintf(to, "st.global.b%u [%s+%u], %%%c%u;\n", bits, from, i * form->bytes, kind,
                    10 + i);
}

static void put_instruction(FILE *to, const struct form *form)
{
    const char *name = names[form->shape], *at = coordinates[form->shape];
    const char *bounds = bounds_words[form->bounds], *vector = vector_word(form->elements);
    switch (form->operation) {
    case LOAD:
        fprintf(to, "suld.b.%s%s.b%u.%s ", name, vector, form->bytes * 8, bounds);
        put_values(to, form);
        fprintf(to, ", [%%d3, %s];\n", at);
        return;
    case STORE:
        fprintf(to, "sust.b.%s%s.b%u.%s [%%d3, %s], ", name, vector, form->bytes * 8, bounds, at);
        break;
    case STORE_TEXEL:
        fprintf(to, "sust.p.%s%s.b32.%s [%%d3, %s], ", name, vector, bounds, at);
        break;
    case REDUCE:
    case REDUCE_TEXEL:
        fprintf(to, "sured.%c.%.*s.%s%s.%s [%%d3, %s], ", form->operation == REDUCE ? 'b' : 'p',
                (int)strcspn(form->reduction, "."), form->reduction, name,
                strchr(form->reduction, '.'), bounds, at);
        fprintf(to, "%%%c10;\n", form->bytes == 8 ? 'd' : 'w');
        return;
    }
    put_values(to, form);
    fprintf(to, ";\n");
}

static void put_kernel(FILE *to, const struct form *form, int number)
{
    fprintf(to,
            ".entry k%d(.param .u64 in, .param .u64 out, .param .u64 t) {\n"
            ".reg .b32 %%r<8>, %%w<16>; .reg .b16 %%h<16>; .reg .b64 %%d<16>;\n"
            "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; ld.param.u64 %%d3, [t];\n"
            "mov.u32 %%r4, %%tid.x; mul.wide.u32 %%d2, %%r4, %u; add.u64 %%d0, %%d0, %%d2;\n"
            "mul.wide.u32 %%d2, %%r4, 16; add.u64 %%d1, %%d1, %%d2;\n"
            "ld.global.v4.b32 {%%r0,%%r1,%%r2,%%r3}, [%%d0];\n",
            number, (unsigned)sizeof(struct point));
    if (form->operation != LOAD)
        put_moves(to, form, "", "%d0", true);
    put_instruction(to, form);
    if (form->operation == LOAD)
        put_moves(to, form, "%d1", "", false);
    fprintf(to, "ret; }\n");
}

static int list_forms(struct form *to)
{
    int count = 0;
    for (int i = 0; i < 5 * 3; i++) {
        struct form form = {.shape = i % 5, .bounds = i / 5};
        for (uint32_t bytes = 1; bytes <= 8; bytes *= 2)
            for (uint32_t elements = 1; elements <= 4 && bytes * elements <= 16; elements *= 2)
                for (int stores = 0; stores < 2; stores++) {
                    form.operation = stores ? STORE : LOAD;
                    form.bytes = bytes;
                    form.elements = elements;
                    to[count++] = form;
                }
        for (uint32_t elements = 1; elements <= 4; elements *= 2) {
            form = (struct form){STORE_TEXEL, i % 5, i / 5, 4, elements, NULL};
            to[count++] = form;
        }
        for (uint32_t k = 0; k < ARRAY_LENGTH(reductions) && i % 5 < 3; k++) {
            uint32_t bytes = strstr(reductions[k], "64") ? 8 : 4;
            to[count++] = (struct form){REDUCE, i % 5, i / 5, bytes, 1, reductions[k]};
        }
        for (uint32_t k = 0; k < ARRAY_LENGTH(texel_reductions) && i % 5 < 3; k++) {
            uint32_t bytes = strstr(texel_reductions[k], "64") ? 8 : 4;
            to[count++] = (struct form){REDUCE_TEXEL, i % 5, i / 5, bytes, 1, texel_reductions[k]};
        }
    }
    return count;
}

// The reference

struct setup {
    struct kernel k;
    struct point *points;
    uint8_t (*out)[16];
    uint8_t *memory, expected[BYTES];
    uint64_t address;
    struct textures textures;
    struct texture surface;
    uint64_t random;
};

static uint32_t draw(struct setup *s, uint32_t below)
{
    return (uint32_t)(conform_random(&s->random) % below);
}

static const uint8_t format_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

static uint32_t texel_size(const struct setup *s)
{
    return s->surface.channels * (uint32_t)format_bytes[s->surface.format];
}

// Finds the byte of an access in memory. Returns −1 for an access outside that has no effect.
static long place_of(const struct setup *s, const struct form *form, const struct point *p,
                     uint32_t bytes, uint32_t scale)
{
    const struct texels *t = &s->surface.base;
    long long row = (long long)t->width * texel_size(s), x = (long long)p->at[0] * scale;
    long long y = dimensions[form->shape] > 1 ? p->at[1] : 0;
    long long z = form->shape == 2 ? p->at[2] : form->shape > 2 ? (long long)p->layer : 0;
    long long rows = t->height ? t->height : 1;
    long long slices = form->shape == 2 ? t->depth : form->shape > 2 ? s->surface.layers : 1;
    bool inside = x >= 0 && x + bytes <= row && y >= 0 && y < rows && z >= 0 && z < slices;
    if (!inside && form->bounds != CLAMP)
        return -1;
    if (x < 0)
        x = 0;
    if (x + bytes > row)
        x = (row / bytes - 1) * bytes;
    y = y < 0 ? 0 : y >= rows ? rows - 1 : y;
    z = z < 0 ? 0 : z >= slices ? slices - 1 : z;
    return (long)(z * (long long)t->slice + y * t->pitch + x);
}

static int64_t whole(const uint8_t *from, uint32_t bytes, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, from, bytes);
    if (is_signed && bytes < 8 && bits >> (8 * bytes - 1))
        bits |= UINT64_MAX << 8 * bytes;
    return (int64_t)bits;
}

static void reduce(const struct setup *s, const struct form *form, uint8_t *at,
                   const uint8_t *value)
{
    uint8_t format = s->surface.format;
    bool is_signed = form->operation == REDUCE_TEXEL
                         ? format == TEXTURE_S8 || format == TEXTURE_S16 || format == TEXTURE_S32
                         : strstr(form->reduction, ".s") != NULL;
    int64_t a = whole(at, form->bytes, is_signed), b = whole(value, form->bytes, is_signed);
    bool less = is_signed ? b < a : (uint64_t)b < (uint64_t)a;
    switch (form->reduction[0] == 'a' ? form->reduction[1] : form->reduction[1] + 1) {
    case 'd': a = (int64_t)((uint64_t)a + (uint64_t)b); break;
    case 'n': a &= b; break;
    case 'i' + 1: a = less ? b : a; break;
    case 'a' + 1: a = less || a == b ? a : b; break;
    default: a |= b; break;
    }
    memcpy(at, &a, form->bytes);
}

static void store_texel(const struct setup *s, const struct form *form, uint8_t *at,
                        const struct point *p)
{
    uint32_t bytes = format_bytes[s->surface.format], words[4] = {0};
    memcpy(words, p->value, 4 * (size_t)form->elements);
    for (uint32_t c = 0; c < s->surface.channels; c++) {
        uint64_t bits = words[c];
        double limit = ldexp(1, (int)(8 * bytes)), value = (double)words[c];
        if (s->surface.format == TEXTURE_F16)
            bits = bits_of(format_named("f16"), value_of(format_named("f32"), words[c]));
        if (s->surface.format < TEXTURE_F16 && s->surface.format % 2) {
            value = (double)(int32_t)words[c];
            value = value < -limit / 2 ? -limit / 2 : value > limit / 2 - 1 ? limit / 2 - 1 : value;
            bits = (uint64_t)(int64_t)value;
        } else if (s->surface.format < TEXTURE_F16) {
            bits = value > limit - 1 ? (uint64_t)(limit - 1) : (uint64_t)value;
        }
        memcpy(at + c * bytes, &bits, bytes);
    }
}

static void apply(struct setup *s, const struct form *form, int lane, uint8_t *loaded)
{
    const struct point *p = &s->points[lane];
    bool texel = form->operation == STORE_TEXEL;
    uint32_t bytes = texel ? texel_size(s) : form->bytes * form->elements;
    uint32_t scale = texel ? bytes : form->operation == REDUCE_TEXEL ? form->bytes : 1;
    long at = place_of(s, form, p, bytes, scale);
    memset(loaded, 0, 16);
    if (at < 0)
        return;
    switch (form->operation) {
    case LOAD: memcpy(loaded, s->expected + at, bytes); break;
    case STORE: memcpy(s->expected + at, p->value, bytes); break;
    case STORE_TEXEL: store_texel(s, form, s->expected + at, p); break;
    default: reduce(s, form, s->expected + at, (const uint8_t *)p->value); break;
    }
}

// Drawing

static void draw_surface(struct setup *s, const struct form *form)
{
    static const uint8_t channels[] = {1, 2, 4};
    struct texture *t = &s->surface;
    *t = (struct texture){.format = (uint8_t)draw(s, 8), .channels = channels[draw(s, 3)]};
    t->base = (struct texels){.address = s->address, .width = 4 + draw(s, 17)};
    t->base.height = dimensions[form->shape] > 1 ? 1 + draw(s, 6) : 0;
    t->base.depth = form->shape == 2 ? 1 + draw(s, 4) : 0;
    t->layers = form->shape > 2 ? 1 + draw(s, 4) : 0;
    t->layered = form->shape > 2;
    while (t->base.width * texel_size(s) < 16)
        t->base.width++;
    t->base.pitch = (t->base.width * texel_size(s) / 32 + 1 + draw(s, 2)) * 32;
    t->base.slice = (uint64_t)t->base.pitch * (t->base.height ? t->base.height : 1);
    for (uint32_t i = 0; i < BYTES; i++)
        s->memory[i] = (uint8_t)conform_random(&s->random);
    memcpy(s->expected, s->memory, BYTES);
}

// Places of different lanes do not overlap, except for reductions, whose order has no effect.
static void draw_points(struct setup *s, const struct form *form)
{
    const struct texels *t = &s->surface.base;
    bool texel = form->operation == STORE_TEXEL;
    uint32_t bytes = texel ? texel_size(s) : form->bytes * form->elements;
    uint32_t scale = texel ? bytes : form->operation == REDUCE_TEXEL ? form->bytes : 1;
    int steps = (int)(t->width * texel_size(s) / scale);
    static bool used[BYTES];
    memset(used, 0, sizeof used);
    for (int i = 0; i < LANES_USED; i++) {
        struct point *p = &s->points[i];
        bool free = true;
        do {
            int margin = form->bounds == TRAP ? 0 : 2 * (int)bytes;
            int x = (int)draw(s, (uint32_t)(steps + 2 * margin)) - margin;
            int step = scale == 1 ? (int)bytes : 1, room = margin ? 2 : 0;
            p->at[0] = x - ((x % step) + step) % step;
            if (form->bounds == TRAP && (p->at[0] * (int)scale + (int)bytes > steps * (int)scale))
                p->at[0] = 0;
            p->at[1] = (int)draw(s, (t->height ? t->height : 1) + 2 * (uint32_t)room) - room;
            p->at[2] = (int)draw(s, (t->depth ? t->depth : 1) + 2 * (uint32_t)room) - room;
            p->layer = draw(s, (s->surface.layers ? s->surface.layers : 1) + (uint32_t)room);
            long at = place_of(s, form, p, bytes, scale);
            free = at < 0 || form->operation == LOAD || form->operation >= REDUCE || !used[at];
            if (at >= 0 && free)
                memset(used + at, true, bytes);
        } while (!free && draw(s, 200));
        if (!free) // outside, or the same as another lane: it writes the same value
            *p = s->points[0];
        else
            for (uint32_t k = 0; k < ARRAY_LENGTH(p->value); k++)
                p->value[k] = draw(s, 3) ? conform_random(&s->random) : draw(s, 300);
        for (uint32_t k = 0; texel && s->surface.format >= TEXTURE_F16 && k < 4; k++) {
            uint32_t bits = (uint32_t)bits_of(format_named("f32"), (double)(k + (uint32_t)i) / 8);
            memcpy((uint8_t *)p->value + 4 * k, &bits, 4);
        }
        if (!free)
            memcpy(p->value, s->points[0].value, sizeof p->value);
    }
}

static void run_case(struct setup *s, const struct form *form, int number)
{
    char name[16];
    uint8_t loaded[16];
    draw_surface(s, form);
    draw_points(s, form);
    surface_bind(&s->textures, &s->k.arena, HANDLE, &s->surface);
    snprintf(name, sizeof name, "k%d", number);
    memset(s->out, 0, LANES_USED * sizeof *s->out);
    kernel_succeeds(&s->k, name, 1, LANES_USED);
    for (int lane = 0; lane < LANES_USED; lane++) {
        apply(s, form, lane, loaded);
        if (form->operation == LOAD && memcmp(loaded, s->out[lane], 16))
            fail_msg("load of %u x %u bytes of %s, %s: lane %d at (%d, %d, %d) layer %u",
                     form->elements, form->bytes, names[form->shape], bounds_words[form->bounds],
                     lane, s->points[lane].at[0], s->points[lane].at[1], s->points[lane].at[2],
                     s->points[lane].layer);
    }
    for (uint32_t i = 0; i < BYTES; i++)
        if (s->memory[i] != s->expected[i])
            fail_msg("operation %d %s of %u x %u bytes on %s, %s, format %u x %u: byte %u is %02x, "
                     "not %02x",
                     form->operation, form->reduction ? form->reduction : "", form->elements,
                     form->bytes, names[form->shape], bounds_words[form->bounds], s->surface.format,
                     s->surface.channels, i, s->memory[i], s->expected[i]);
}

static void begin(struct setup *s, const char *text)
{
    kernel_load(&s->k, text, NULL);
    s->random = 7;
    s->points = kernel_buffer(&s->k, LANES_USED * sizeof *s->points);
    s->out = kernel_buffer(&s->k, LANES_USED * sizeof *s->out);
    uint64_t handle = HANDLE;
    memcpy(s->k.params + s->k.param_bytes, &handle, sizeof handle);
    s->address = image_allocate(&s->k.image, BYTES, 256, "texels");
    s->memory = s->k.image.list.v[s->k.image.list.n - 1].data;
    s->k.textures = &s->textures;
}

static void test_accesses(void **state)
{
    (void)state;
    static struct form forms[1024];
    static struct setup s;
    int count = list_forms(forms);
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    fputs(HEAD("8.6", "sm_90"), to);
    for (int i = 0; i < count; i++)
        put_kernel(to, &forms[i], i);
    fclose(to);
    begin(&s, text);
    free(text);
    for (int i = 0; i < CASES; i++) {
        int number = i < count ? i : (int)draw(&s, (uint32_t)count);
        run_case(&s, &forms[number], number);
    }
    kernel_free(&s.k);
}

#define ONE(text)                                                                                  \
    HEAD("8.6", "sm_90")                                                                           \
    ".global .surfref v;\n"                                                                        \
    ".entry k(.param .u64 in, .param .u64 out, .param .u64 t) {\n"                                 \
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .v2 .b32 %v;\n"                                        \
    "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; ld.param.u64 %d3, [t];\n" text " ret; }\n"

static void check_fault(const char *text, const char *expects)
{
    static struct setup s;
    memset(&s, 0, sizeof s);
    begin(&s, text);
    s.surface = (struct texture){
        .base = {s.address, 8, 2, 0, 32, 64}, .channels = 1, .format = TEXTURE_F32};
    surface_bind(&s.textures, &s.k.arena, HANDLE, &s.surface);
    kernel_run(&s.k, "k", 1, 1, 0);
    assert_true(s.k.result.fault.happened);
    if (!strstr(s.k.result.fault.text, expects))
        fail_msg("%s", s.k.result.fault.text);
    kernel_free(&s.k);
}

static void test_faults(void **state)
{
    (void)state;
    check_fault(ONE("suld.b.2d.b32.trap %r0, [%d3, {32, 1}];"),
                "an access of 4 bytes at byte 32, row 1, layer 0 is outside of the surface of 8 x "
                "2 x 1 texels of 4 bytes");
    check_fault(ONE("sust.b.2d.b32.trap [%d3, {0, -1}], %r0;"), "at byte 0, row -1");
    check_fault(ONE("sured.b.add.2d.u32.trap [%d3, {0, 2}], %r0;"), "at byte 0, row 2");
    check_fault(ONE("suld.b.2d.b32.zero %r0, [%d3, {2, 1}];"), "is not aligned");
    check_fault(ONE("suld.b.1d.b32.zero %r0, [%d3, {0}];"), "an access to .1d of a surface of .2d");
    check_fault(ONE("suld.b.a2d.b32.zero %r0, [%d3, {0, 0, 0, 0}];"),
                "an access to .a2d of a surface of .2d");
    check_fault(ONE("suld.b.2d.b32.zero %r0, [%d0, {0, 0}];"), "no surface is bound to the handle");
    check_fault(ONE("tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d3, {0, 0}];"),
                "no texture is bound to the handle");
}

// A variable of the module, a register that is a vector, queries.
static void test_variable(void **state)
{
    (void)state;
    static struct setup s;
    begin(&s,
          ONE("mov.b32 %v.x, 5; mov.b32 %v.y, 6; sust.b.2d.v2.b32.trap [v, {8, 1}], %v;\n"
              "suld.b.2d.v2.b32.trap %v, [v, {8, 1}]; add.u32 %r0, %v.x, %v.y;\n"
              "suq.width.b32 %r1, [v]; suq.height.b32 %r2, [v]; suq.memory_layout.b32 %r3, [v];\n"
              "st.global.v4.b32 [%d1], {%r0, %r1, %r2, %r3};"));
    s.surface = (struct texture){
        .base = {s.address, 8, 2, 0, 32, 64}, .channels = 1, .format = TEXTURE_F32};
    for (uint32_t i = 0; i < s.k.image.list.n; i++)
        if (!strcmp(s.k.image.list.v[i].name, "v"))
            surface_bind(&s.textures, &s.k.arena, s.k.image.list.v[i].address, &s.surface);
    kernel_succeeds(&s.k, "k", 1, 1);
    const uint32_t want[] = {11, 8, 2, 0};
    assert_memory_equal(s.out[0], want, sizeof want);
    assert_int_equal(s.memory[32 + 12], 6);
    kernel_free(&s.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
