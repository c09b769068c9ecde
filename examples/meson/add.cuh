#pragma once

__global__ void add(const float *a, const float *b, float *c);
