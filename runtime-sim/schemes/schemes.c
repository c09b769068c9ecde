#include "runtime-sim/schemes/schemes.h"
#include "runtime-sim/schemes/ari/ari.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "runtime-sim/schemes/tom/tom.h"

const struct scheme_ops *const schemes[] = {
    &llc_omni, &ari, &tom_stacks, &tom_blocks, &full_empty, &rgpu, NULL,
};
