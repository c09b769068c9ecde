// Writes the words of run files in the form of libFuzzer and AFL++: one "word" per line. Keys and
// types come from the reader's tables.
#include <stdio.h>

static const char *const words[] = {
#define RUN_KEY(context, key, form, needed, text) #key ": ",
#include "runtime-sim/run/keys.def"
#undef RUN_KEY
#define SCALAR(name, class, bytes, npy) #name,
#include "support/scalars.def"
#undef SCALAR
    "zero",
    "iota",
    "uniform",
    "uniform:",
    "range:",
    "const:",
    "raw:",
    ".npy",
    "= i ",
    "true",
    "wrap",
    "border",
    "linear",
    "normalized",
    "normalized-float",
    "- ",
    "{",
    "}, ",
    "[",
    "], ",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "|\\x0a",
    "---\\x0a",
    "\\x0a  ",
    " << ",
    " >> ",
    " && ",
    " || ",
    " ? ",
    " : ",
    "min(",
    "max(",
    "&",
    "0x7fffffffffffffff",
    "-9223372036854775808",
    "18446744073709551616",
    "1e400",
    "0.5",
    "\\x93NUMPY\\x01\\x00",
    "'descr': ",
    "'fortran_order': ",
    "'shape': ",
    "'<f4'",
    "'|u1'",
    "False, ",
    "(3,)",
    "(0, 2)",
};

int main(void)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        printf("\"%s\"\n", words[i]);
    return 0;
}
