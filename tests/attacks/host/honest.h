// The honest twin of every attack here: exp(x) by 24 terms, a few hundred
// microseconds of plain work.
#pragma once

inline void Honest(const float* x, float* y, int first, int last) {
  for (int i = first; i < last; ++i) {
    float sum = 1.0F;
    for (int k = 24; k > 0; --k) sum = 1.0F + sum * x[i] / static_cast<float>(k);
    y[i] = sum;
  }
}
