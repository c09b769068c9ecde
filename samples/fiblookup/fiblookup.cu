// FIBLOOKUP: longest-prefix match of IPv4 addresses in a forwarding table.
//
// Shows no chain: each entry has several uses, one of them an address. Up to four loads depend on
// one another, without locality.  [001 Table 3]
//
// The table is a trie with a stride of eight bits: nodes of 256 entries, the root first. An entry
// has the next hop of the longest prefix that ends in this node in its low eight bits, 0 if there
// is none, and above them the number of the child node, 0 if there is none. hop[i] is 0 if no
// prefix matches.

extern "C" __global__ void fiblookup(const unsigned *address, const unsigned *table, int *hop,
                                     int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    unsigned a = address[i], node = 0;
    int best = 0;

#pragma unroll 1
    for (int shift = 24; shift >= 0; shift -= 8) {
        unsigned entry = table[node * 256 + (a >> shift & 255)];

        if (entry & 255)
            best = entry & 255;
        node = entry >> 8;
        if (node == 0)
            break;
    }
    hop[i] = best;
}
