// Reads the configuration of a machine or of a part of it: --config and --set.
#pragma once
#include "cli/common/messages.h"
#include "runtime-sim/base/config.h"

// Applies the file or configuration `name`, unless it is NULL, and then the settings. Returns false
// after reporting errors.
bool configuration_read(struct config *config, const char *name, const struct text_list *settings,
                        const struct messages *messages);
// Prints the keys: --help=keys.
void configuration_print_keys(const struct config *config, bool as_markdown, FILE *to);
