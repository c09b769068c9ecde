#include "runtime-sim/schemes/schemes.h"
#include "runtime-sim/schemes/ari/ari.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"

const struct scheme_ops *const schemes[] = {
    &llc_omni,
    &ari,
    NULL,
};
