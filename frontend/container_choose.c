// Selects modules by the user's options.
#include "frontend/container_internal.h"
#include <stdlib.h>
#include <string.h>

static uint32_t refuse(struct diags *diags, const char *id, const char *text)
{
    diag_add(diags, DIAG_ERROR, id, NO_OFFSET, NO_OFFSET, "%s", text);
    return 0;
}

struct wanted {
    bool any_arch, any_module;
    uint32_t arch, module;
    char suffix;
};

static bool read_choice(const struct container *container, struct container_choice choice,
                        struct wanted *wanted, struct diags *diags)
{
    *wanted = (struct wanted){.any_arch = !choice.arch, .any_module = !choice.module};
    if (choice.arch) {
        size_t length = strlen(choice.arch);
        if (!length || arch_read(choice.arch, length, &wanted->arch, &wanted->suffix) != length)
            return refuse(diags, "no-module",
                          arena_printf(container->arena,
                                       "'%s' is not an architecture such as sm_80", choice.arch));
    }
    if (choice.module) {
        size_t digits = strspn(choice.module, "0123456789");
        uint64_t number = strtoull(choice.module, NULL, 10);
        if (!digits || choice.module[digits] || number >= container->modules.n)
            return refuse(diags, "no-module",
                          arena_printf(container->arena,
                                       "no module %s: the file has %u, counted from 0",
                                       choice.module, container->modules.n));
        wanted->module = (uint32_t)number;
    }
    return true;
}

static bool is_of_arch(const struct container_module *module, const struct wanted *wanted)
{
    return wanted->any_arch || (module->arch == wanted->arch && module->suffix == wanted->suffix);
}

// Returns the list of architectures, without repetitions, for a message.
static const char *architectures(const struct container *container)
{
    const char *list = "";
    for (uint32_t i = 0; i < container->modules.n; i++) {
        const struct container_module *module = &container->modules.v[i];
        char arch[16], word[24];
        container_arch(module, arch);
        snprintf(word, sizeof word, " sm_%s,", arch);
        if (*arch && strlen(list) < 300 && !strstr(list, word))
            list = arena_printf(container->arena, "%s%s", list, word);
    }
    size_t length = strlen(list);
    return length ? arena_strndup(container->arena, list, length - 1) : " none";
}

static uint32_t choose_of_kind(const struct container *container, const struct wanted *wanted,
                               enum module_kind kind, uint32_t *modules)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < container->modules.n; i++) {
        const struct container_module *module = &container->modules.v[i];
        if (module->kind == kind && is_of_arch(module, wanted) &&
            (kind != MODULE_CUBIN || container_cubin_has_text(container, i)))
            modules[count++] = i;
    }
    return count;
}

static uint32_t count_of_arch(const struct container *container, const struct wanted *wanted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < container->modules.n; i++)
        count += is_of_arch(&container->modules.v[i], wanted);
    return count;
}

static uint32_t choose_one(const struct container *container, const struct wanted *wanted,
                           const char *arch, uint32_t *modules, struct diags *diags)
{
    if (!is_of_arch(&container->modules.v[wanted->module], wanted))
        return refuse(
            diags, "no-module",
            arena_printf(container->arena, "module %u is not for '%s'", wanted->module, arch));
    *modules = wanted->module;
    return 1;
}

uint32_t container_choose(const struct container *container, struct container_choice choice,
                          uint32_t **modules, struct diags *diags)
{
    struct wanted wanted;
    *modules = ARENA_ARRAY(container->arena, uint32_t, container->modules.n);
    if (!container->modules.n)
        return refuse(diags, "no-module", "the file has no GPU code");
    if (!read_choice(container, choice, &wanted, diags))
        return 0;
    if (!wanted.any_module)
        return choose_one(container, &wanted, choice.arch, *modules, diags);
    if (!count_of_arch(container, &wanted))
        return refuse(diags, "no-module",
                      arena_printf(container->arena, "no module for '%s'; the file has:%s",
                                   choice.arch, architectures(container)));
    uint32_t count = choose_of_kind(container, &wanted, MODULE_PTX, *modules);
    if (!count)
        count = choose_of_kind(container, &wanted, MODULE_CUBIN, *modules);
    if (!count)
        refuse(diags, "no-ptx",
               "the file has GPU code, but no PTX: compile with -lineinfo or -G, or keep the "
               "PTX, such as with -gencode arch=compute_80,code=compute_80");
    return count;
}
