// Redirection of the functions of a static CUDA runtime to ours.
#pragma once
#include <link.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

// Redirects the functions in this file and those that follow it in the dynamic linker's list. They
// have been mapped, and nothing of them has run. Ends the process if the program itself cannot be
// redirected, or the system forbids a change of code.
typedef void redirect_files(const struct link_map *first);
EXPORT redirect_files ptxo_redirect;
