#include "cli/sim/configuration.h"

bool configuration_read(struct config *config, const char *name, const struct text_list *settings,
                        const struct messages *messages)
{
    bool good = !name || config_load(config, name);
    for (uint32_t i = 0; i < settings->list.n; i++)
        good &= config_set(config, settings->list.v[i]);
    for (uint32_t i = 0; i < config->texts.n; i++) {
        struct config_text *text = config->texts.v[i];
        good &= messages_diags(messages, &text->diags, &text->source);
    }
    return good;
}

void configuration_print_keys(const struct config *config, bool as_markdown, FILE *to)
{
    (as_markdown ? config_keys_print_markdown : config_keys_print)(config, to);
}
