#include "samples/histogram64/histogram64.cu"
#include "overlap.h"

int main(int argc, char **argv)
{
    overlap pattern(argc, argv);
    int words = 16384, ctas = (words + THREADS * WORDS - 1) / (THREADS * WORDS);
    buffer<unsigned> data(words);
    buffer<int> partial(ctas * 64), histogram(64);
    std::vector<int> count(64);
    data.fill(0, 4294967296.0, 1);
    pattern.input(data);
    pattern.output(histogram);
    pattern.execute([&](cudaStream_t stream) {
        histogram64_count<<<ctas, THREADS, 0, stream>>>(data.device, partial.device, words);
        histogram64_merge<<<64, THREADS, 0, stream>>>(partial.device, histogram.device, ctas);
    });
    for (int i = 0; i < words; i++)
        for (int k = 0; k < 32; k += 8)
            count[data[i] >> k >> 2 & 63]++;
    for (int i = 0; i < 64; i++)
        expect(i, histogram[i], count[i]);
    return result();
}
