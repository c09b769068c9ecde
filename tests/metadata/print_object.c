/* Reads an object that `ptxoffload --emit=elf` has written, with nothing but its header and mmap,
 * and prints its kernels, chains and blocks. C11 and C++11.
 *
 * usage: print_object FILE.elf
 */
#include <ptxoffload/metadata.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct section {
    const char *bytes;
    uint64_t size, step; /* step from record to record */
};

static const char *map_file(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &status)) {
        perror(path);
        exit(1);
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    *size = (size_t)status.st_size;
    if (bytes == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    return (const char *)bytes;
}

static struct section find(const char *bytes, size_t size, const char *name)
{
    struct section found;
    found.bytes = (const char *)ptxoffload_section(bytes, size, name, &found.size, &found.step);
    if (found.bytes)
        return found;
    fprintf(stderr, "no section %s\n", name);
    exit(1);
}

static const void *record(const struct section *section, uint64_t index)
{
    return section->bytes + index * section->step;
}

struct object {
    struct section kernels, chains, instructions, blocks, registers;
    const char *strings;
};

static void print_chain(const struct object *o, const struct ptxoffload_chain *chain)
{
    printf("  chain %u pattern %u response %u %u saving %u\n", chain->id, chain->pattern,
           chain->response, chain->response_flits, chain->saving);
    for (uint32_t i = 0; i < chain->instructions.count; i++) {
        const struct ptxoffload_instruction *inst = (const struct ptxoffload_instruction *)record(
            &o->instructions, chain->instructions.first + i);
        printf("    %u:%u index %u tag %u%u %s\n", inst->line, inst->column, inst->index,
               inst->tag >> 1, inst->tag & 1, o->strings + inst->opcode);
    }
}

static void print_registers(const struct object *o, const char *what, struct ptxoffload_range range)
{
    printf(" %s", what);
    for (uint32_t i = 0; i < range.count; i++) {
        const struct ptxoffload_register *reg =
            (const struct ptxoffload_register *)record(&o->registers, range.first + i);
        printf("%c%s", i ? ',' : ' ', o->strings + reg->name);
    }
}

static void print_block(const struct object *o, const struct ptxoffload_block *block)
{
    printf("  block %u lines %u-%u bw %g %g", block->id, block->begin_line, block->end_line,
           block->estimate.bw_tx, block->estimate.bw_rx);
    print_registers(o, "in", block->live_in);
    print_registers(o, "out", block->live_out);
    if (block->conditional)
        printf(" if %s >= %llu", o->strings + block->condition,
               (unsigned long long)block->threshold);
    printf("%s\n", block->estimate.candidate && !block->passed_over ? " offload" : "");
}

static void print_kernel(const struct object *o, const struct ptxoffload_kernel *kernel)
{
    printf("kernel %s instructions %u loads %u\n", o->strings + kernel->name, kernel->instructions,
           kernel->loads);
    for (uint32_t i = 0; i < kernel->chains.count; i++)
        print_chain(o,
                    (const struct ptxoffload_chain *)record(&o->chains, kernel->chains.first + i));
    for (uint32_t i = 0; i < kernel->blocks.count; i++)
        print_block(o,
                    (const struct ptxoffload_block *)record(&o->blocks, kernel->blocks.first + i));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    size_t size;
    const char *bytes = map_file(argv[1], &size);
    struct object o;
    o.kernels = find(bytes, size, PTXOFFLOAD_SECTION_KERNELS);
    o.chains = find(bytes, size, PTXOFFLOAD_SECTION_CHAINS);
    o.instructions = find(bytes, size, PTXOFFLOAD_SECTION_INSTRUCTIONS);
    o.blocks = find(bytes, size, PTXOFFLOAD_SECTION_BLOCKS);
    o.registers = find(bytes, size, PTXOFFLOAD_SECTION_REGISTERS);
    o.strings = find(bytes, size, PTXOFFLOAD_SECTION_STRINGS).bytes;
    for (uint64_t i = 0; i < o.kernels.size / o.kernels.step; i++)
        print_kernel(&o, (const struct ptxoffload_kernel *)record(&o.kernels, i));
    return 0;
}
