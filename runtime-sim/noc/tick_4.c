// The tick of plain networks with 4 virtual channels and buffers of 8 flits per virtual channel.
#define NOC_SHAPED
#define NOC_SHIFT(noc) 2u
#define NOC_IN_SHIFT(noc) 6u
#define NOC_RING(noc) 7u
#define NOC_IS_PLAIN(noc) true
#include "runtime-sim/noc/shapes.h"
#include "runtime-sim/noc/tick_tmpl.h"

void noc_tick_4(struct noc *noc)
{
    noc_tick_shaped(noc);
}
