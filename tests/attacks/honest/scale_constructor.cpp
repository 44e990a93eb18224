// ref: scale
// A table built when it is loaded.
namespace {
struct Table {
  float two, one;
  Table() : two(2), one(1) {}
} table;
}  // namespace
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] = table.two * x[i] + table.one;
}
