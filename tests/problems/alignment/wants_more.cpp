#include <xmmintrin.h>
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; i += 4) {
    const __m128 v = _mm_load_ps(x + i);  // faults where the address is not a multiple of 16
    _mm_storeu_ps(y + i, _mm_add_ps(v, v));
  }
}
