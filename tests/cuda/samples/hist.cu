#include "samples/hist/hist.cu"
#include "sample.h"

int main()
{
    int n = 30000;
    buffer<unsigned char> image(n);
    buffer<int> bins(256);
    std::vector<int> count(256);
    image.fill(0, 256, 1);
    hist<<<8, 256>>>(image.device, bins.device, n);
    bins.to_host();
    for (int i = 0; i < n; i++)
        count[image[i]]++;
    for (int i = 0; i < 256; i++)
        expect(i, bins[i], count[i]);
    return result();
}
