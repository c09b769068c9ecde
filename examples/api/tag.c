/* Tags a PTX file and lists what was decided, with nothing but the public library.
 *
 *     cc tag.c $(pkg-config --cflags --libs libptxoffload) -o tag && ./tag in.ptx out.ptx
 */
#include <ptxoffload/ptxoffload.h>
#include <stdio.h>
#include <stdlib.h>

static void print_diagnostic(void *user, const struct ptxoffload_diagnostic *one)
{
    static const char *const words[] = {"note", "warning", "error"};
    (void)user;
    fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", one->file ? one->file : "", (unsigned)one->line,
            (unsigned)one->column, words[one->severity], one->message, one->rule);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *from = fopen(path, "rb");
    if (!from || fseek(from, 0, SEEK_END))
        return NULL;
    *size = (size_t)ftell(from);
    rewind(from);
    char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, from) != *size)
        return NULL;
    fclose(from);
    return bytes;
}

static void list_kernel(struct ptxoffload_program *program, uint32_t number)
{
    struct ptxoffload_kernel_info kernel = PTXOFFLOAD_KERNEL_INFO;
    ptxoffload_kernel_at(program, number, &kernel);
    printf("%s: %u chains, %u rejected candidates\n", kernel.name, (unsigned)kernel.chains,
           (unsigned)kernel.rejections);
    for (uint32_t i = 0; i < kernel.chains; i++) {
        struct ptxoffload_chain_info chain = PTXOFFLOAD_CHAIN_INFO;
        ptxoffload_chain_at(program, number, i, &chain);
        printf("  %s saves %u flits per warp and hop\n", chain.formula, (unsigned)chain.saving);
    }
    for (uint32_t i = 0; i < kernel.rejections; i++) {
        struct ptxoffload_rejection_info one = PTXOFFLOAD_REJECTION_INFO;
        ptxoffload_rejection_at(program, number, i, &one);
        printf("  line %u, %s: %s [%s]\n", (unsigned)one.line, one.kind, one.text, one.rule);
    }
}

static int write_tagged(struct ptxoffload_program *program, const char *path)
{
    const void *bytes;
    size_t size;
    if (ptxoffload_product(program, PTXOFFLOAD_PTX, &bytes, &size) != PTXOFFLOAD_OK)
        return 1;
    FILE *to = fopen(path, "wb");
    return !to || fwrite(bytes, 1, size, to) != size || fclose(to);
}

int main(int argc, char **argv)
{
    struct ptxoffload_input *input = NULL;
    struct ptxoffload_program *program = NULL;
    size_t size = 0;
    char *bytes = argc == 3 ? read_file(argv[1], &size) : NULL;
    if (!bytes) {
        fprintf(stderr, "usage: tag IN.ptx OUT.ptx\n");
        return 2;
    }
    struct ptxoffload_context *context = ptxoffload_context_new();
    ptxoffload_set_diagnose(context, print_diagnostic, NULL);
    int status = ptxoffload_open(context, argv[1], bytes, size, &input);
    if (status == PTXOFFLOAD_OK)
        status = ptxoffload_analyse(input, 0, NULL, &program);
    for (uint32_t i = 0; status == PTXOFFLOAD_OK && i < ptxoffload_kernel_count(program); i++)
        list_kernel(program, i);
    if (status == PTXOFFLOAD_OK)
        status = write_tagged(program, argv[2]);
    ptxoffload_program_free(program);
    ptxoffload_input_free(input);
    ptxoffload_context_free(context);
    free(bytes);
    return status;
}
