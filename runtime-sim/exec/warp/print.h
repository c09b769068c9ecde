// printf on the device.
#pragma once
#include "runtime-sim/exec/warp/call.h"

builtin_fn call_vprintf;
