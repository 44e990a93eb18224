#include <complex>
extern "C" void solve(std::complex<float>* z, const std::complex<float>* w, int N) { z[0] = w[0] + float(N); }
