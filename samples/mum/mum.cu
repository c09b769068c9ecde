// MUM: exact matching of short reads against a genome, through its suffix array.
//
// mum_key     the first 32 bases of every suffix in 64 bits, and the suffix numbers 0 .. n-1
// mum_sort    one step of a bitonic sort of the suffixes, one thread per pair
// mum_match   one read per thread: a binary search in the suffix array
// Shows no chain: two bases are compared, but as bytes of a type that the unit lacks. Every step of
// the search depends on the step before, and its reads are irregular.  [004 §6, mummerGPU]
//
// Bases are bytes from 2 to 5. genome has n of them, n a power of two, and a 1 behind the last; a
// read has `length` and a 0 behind the last: two of these never agree, and a suffix that ends is
// smaller than one that goes on. suffix has one element more than mum_key fills, which the host
// sets to n.
//
// The host launches mum_key, then mum_sort with distance = size / 2, size / 4, …, 1 for size = 2,
// 4, …, n. longest[q] is the length of the longest prefix of read q that the genome has; place[q] is
// where the whole read is, if it is there once, else -1.

static __device__ bool goes_behind(const unsigned char *genome, int a, int b)
{
    int k = 0;

#pragma unroll 1
    while (genome[a + k] == genome[b + k])
        k++;
    return genome[a + k] > genome[b + k];
}

extern "C" __global__ void mum_key(const unsigned char *genome, unsigned long long *key,
                                   int *suffix, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long bases = 0;

    if (i >= n)
        return;
#pragma unroll 1
    for (int k = i; k < i + 32; k++)
        bases = bases << 2 | (k < n ? genome[k] - 2 : 0);
    key[i] = bases;
    suffix[i] = i;
}

extern "C" __global__ void mum_sort(const unsigned char *genome, unsigned long long *key,
                                    int *suffix, int n, int size, int distance)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * t - (t & distance - 1), j = i + distance;

    if (j >= n)
        return;

    unsigned long long one = key[i], other = key[j];
    int a = suffix[i], b = suffix[j];
    bool behind = one == other ? goes_behind(genome, a, b) : one > other;

    if (behind == !(i & size)) {
        key[i] = other;
        key[j] = one;
        suffix[i] = b;
        suffix[j] = a;
    }
}

extern "C" __global__ void mum_match(const unsigned char *genome, const int *suffix,
                                     const unsigned char *reads, int *longest, int *place, int n,
                                     int length, int count)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;

    if (q >= count)
        return;

    const unsigned char *read = reads + q * (length + 1);
    int most = 0, low = 0, high = n, found = -1;

    // The first suffix that is not smaller than the read.
#pragma unroll 1
    do {
        int middle = (low + high) / 2, at = suffix[middle], k = 0;

#pragma unroll 1
        while (genome[at + k] == read[k])
            k++;
        most = max(most, k);
        if (genome[at + k] < read[k])
            low = middle + 1;
        else
            high = middle;
    } while (low < high);
    longest[q] = most;
    if (most == length) {
        int next = suffix[low + 1], k = 0;

#pragma unroll 1
        while (genome[next + k] == read[k])
            k++;
        if (k < length)
            found = suffix[low];
    }
    place[q] = found;
}
