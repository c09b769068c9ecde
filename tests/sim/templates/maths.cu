// The mathematics library, of one and of two numbers, in double and single precision.
#define KERNEL(name, T, call)                                                                      \
    extern "C" __global__ void name(const T *x, const T *y, T *to)                                 \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        to[i] = call;                                                                              \
    }
#define FUNCTION(name, call)                                                                       \
    KERNEL(name##_f64, double, call)                                                               \
    KERNEL(name##_f32, float, call)

FUNCTION(sine, sin(x[i]))
FUNCTION(cosine, cos(x[i]))
FUNCTION(tangent, tan(x[i]))
FUNCTION(arc_sine, asin(x[i]))
FUNCTION(arc_tangent, atan(x[i]))
FUNCTION(arc_tangent_two, atan2(x[i], y[i]))
FUNCTION(hyperbolic_sine, sinh(x[i]))
FUNCTION(hyperbolic_tangent, tanh(x[i]))
FUNCTION(exponential, exp(x[i]))
FUNCTION(exponential_less_one, expm1(x[i]))
FUNCTION(logarithm, log(x[i]))
FUNCTION(logarithm_of_more, log1p(x[i]))
FUNCTION(logarithm_two, log2(x[i]))
FUNCTION(power, pow(x[i], y[i]))
FUNCTION(cube_root, cbrt(x[i]))
FUNCTION(error_function, erf(x[i]))
FUNCTION(error_rest, erfc(x[i]))
FUNCTION(gamma_function, tgamma(x[i]))
FUNCTION(gamma_logarithm, lgamma(x[i]))
FUNCTION(hypotenuse, hypot(x[i], y[i]))
FUNCTION(remainder_of, fmod(x[i], y[i]))
FUNCTION(quotient, x[i] / y[i])
FUNCTION(square_root, sqrt(x[i]))
FUNCTION(nearest, rint(x[i]))
FUNCTION(downwards, floor(x[i]))
