// The toll: a small scheme for tests. Each approximation (an instruction of timing class sfu)
// leaves its core before it is issued, as a request to a line of its own, and is issued when the
// reply has arrived. Requests have a message class of their own, with a priority.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"

extern const struct scheme_ops toll;
