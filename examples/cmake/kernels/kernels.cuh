#pragma once

__global__ void add(const float *a, const float *b, float *c);
__global__ void scale(float *a, float by);
__device__ float factor(float by);
