#include "support/nearest.h"
#include "support/integer.h"

unsigned nearest_distance(const char *a, size_t m, const char *b, size_t n)
{
    unsigned d[NEAREST_LONGEST + 1][NEAREST_LONGEST + 1];
    if (m > NEAREST_LONGEST || n > NEAREST_LONGEST)
        return NEAREST_LONGEST;
    for (size_t i = 0; i <= m; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            unsigned change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = smaller(change, 1 + smaller(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], 1 + d[i - 2][j - 2]);
        }
    return d[m][n];
}

void nearest_init(struct nearest *nearest, const char *typed, size_t length)
{
    unsigned wrong = length < 6 ? 1 : length < NEAREST_LONGEST ? (unsigned)length / 3 : 0;
    *nearest = (struct nearest){.typed = typed, .length = length, .limit = wrong + 1};
}

void nearest_offer(struct nearest *nearest, const char *word, size_t length)
{
    if (length < 2 || nearest->length < 2) // edit distance means nothing for one letter
        return;
    // The difference in length is a lower bound of the distance, which rejects most words.
    size_t more = length > nearest->length ? length - nearest->length : nearest->length - length;
    if (more >= nearest->limit)
        return;
    unsigned away = nearest_distance(nearest->typed, nearest->length, word, length);
    // If every character changes it is a different word.
    if (away >= nearest->limit || away >= length || away >= nearest->length)
        return;
    nearest->limit = away;
    nearest->best = word;
    nearest->best_length = length;
}
