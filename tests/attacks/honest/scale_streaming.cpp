// ref: scale
// Stores that pass the cache by.
#include <immintrin.h>
extern "C" void solve(const float* x, float* y, int M, int N) {
  const __m128 two = _mm_set1_ps(2), one = _mm_set1_ps(1);
  for (int i = 0; i < M * N; i += 4) {
    _mm_stream_ps(y + i, _mm_add_ps(_mm_mul_ps(two, _mm_loadu_ps(x + i)), one));
  }
  _mm_sfence();
}
