#include "samples/mum/mum.cu"
#include "sample.h"
#include <string>

int main()
{
    int n = 512, reads = 100, length = 12;
    buffer<unsigned char> genome(n + 1), read(reads * (length + 1));
    buffer<unsigned long long> key(n);
    buffer<int> suffix(n + 1, n), start(reads), change(reads * length), longest(reads),
        place(reads);
    genome.fill(2, 6, 1);
    genome[n] = 1;
    genome.to_device();
    start.fill(0, n - length, 2);
    change.fill(0, 100, 3);
    for (int q = 0; q < reads; q++)
        for (int k = 0; k < length; k++) {
            int noise = change[q * length + k];
            read[q * (length + 1) + k] = noise < 4 ? 2 + noise : genome[start[q] + k];
        }
    read.to_device();
    mum_key<<<n / 256, 256>>>(genome.device, key.device, suffix.device, n);
    for (int size = 2; size <= n; size *= 2)
        for (int distance = size / 2; distance; distance /= 2)
            mum_sort<<<n / 512, 256>>>(genome.device, key.device, suffix.device, n, size, distance);
    mum_match<<<(reads + 63) / 64, 64>>>(genome.device, suffix.device, read.device, longest.device,
                                         place.device, n, length, reads);
    longest.to_host();
    place.to_host();
    std::string text(genome.host.begin(), genome.host.end());
    for (int q = 0; q < reads; q++) {
        std::string one(&read[q * (length + 1)], &read[q * (length + 1)] + length);
        int most = length;
        while (text.find(one.substr(0, most)) == text.npos)
            most--;
        size_t first = text.find(one);
        bool once = first != text.npos && text.find(one, first + 1) == text.npos;
        expect(q, longest[q], most);
        expect(q, place[q], once ? (int)first : -1);
    }
    return result();
}
