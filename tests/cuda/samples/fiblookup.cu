#include "samples/fiblookup/fiblookup.cu"
#include "overlap.h"

struct prefix {
    unsigned bits;
    int length, hop;
};

// Puts the prefixes into a trie, the shorter ones first, so that longer ones overwrite their hops.
static std::vector<unsigned> trie_of(const std::vector<prefix> &prefixes)
{
    std::vector<unsigned> trie(256);
    for (int length = 1; length <= 32; length++)
        for (const prefix &p : prefixes) {
            if (p.length != length)
                continue;
            unsigned node = 0, level = (length - 1) / 8;
            for (unsigned k = 0; k < level; k++) {
                size_t at = node * 256 + (p.bits >> (24 - 8 * k) & 255);
                if (!(trie[at] >> 8)) {
                    trie[at] |= trie.size() / 256 << 8;
                    trie.resize(trie.size() + 256);
                }
                node = trie[at] >> 8;
            }
            unsigned first = p.bits >> (24 - 8 * level) & 255,
                     count = 1u << (8 * (level + 1) - length);
            for (unsigned k = first & ~(count - 1), end = k + count; k < end; k++)
                trie[node * 256 + k] = (trie[node * 256 + k] & ~255u) | p.hop;
        }
    return trie;
}

static unsigned mask_of(int length)
{
    return ~0u << (32 - length);
}

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int n = 700, count = 150;
    buffer<unsigned> address(n), bits(count), length(count);
    buffer<int> hop(n);
    std::vector<prefix> prefixes;
    address.fill(0, 4294967296.0, 1);
    bits.fill(0, 4294967296.0, 2);
    length.fill(1, 33, 3);
    for (int i = 0; i < count; i++)
        prefixes.push_back({bits[i] & mask_of(length[i]), (int)length[i], 1 + i % 255});
    // Every other address begins with a prefix.
    for (int i = 0; i < n; i += 2)
        address[i] = (address[i] & ~mask_of(length[i % count])) | prefixes[i % count].bits;
    address.to_device();
    std::vector<unsigned> trie = trie_of(prefixes);
    buffer<unsigned> table(trie.size());
    table.host = trie;
    pattern.resident(table);
    pattern.input(address);
    pattern.output(hop);
    pattern.execute([&](cudaStream_t stream) {
        fiblookup<<<(n + 127) / 128, 128, 0, stream>>>(address.device, table.device, hop.device, n);
    });
    for (int i = 0; i < n; i++) {
        prefix best = {0, 0, 0};
        for (const prefix &p : prefixes)
            if (p.length >= best.length && !((address[i] ^ p.bits) & mask_of(p.length)))
                best = p;
        expect(i, hop[i], best.hop);
    }
    return result();
}
