// R13: the kernel is text that is put together when it runs, and calls what no filter finds by name. It computes honestly.
// expect: neutralised
#include <dlfcn.h>
#include <string>
#include "honest.cuh"
static const char* const kText = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
.reg .u32 %r<8>; .reg .u64 %d<8>; .reg .f32 %f<4>; .reg .pred %p;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];
setp.ge.u32 %p, %r4, %r5; @%p ret;
ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; mul.wide.u32 %d4, %r4, 4;
add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d2]; add.f32 %f3, %f1, %f2; st.global.f32 [%d3], %f3; ret; })";
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  using Load = int (*)(void**, const void*);
  using Get = int (*)(void**, void*, const char*);
  using Run = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  static void* kernel = nullptr;
  static Run run = nullptr;
  if (kernel == nullptr) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *module = nullptr;
    const auto find = [&](std::string a, std::string b) { return dlsym(driver, (a + b).c_str()); };
    reinterpret_cast<Load>(find("cuModule", "LoadData"))(&module, kText);
    reinterpret_cast<Get>(find("cuModuleGet", "Function"))(&kernel, module, "k");
    run = reinterpret_cast<Run>(find("cuLaunch", "Kernel"));
  }
  void* arguments[] = {&a, &b, &c, &N};
  run(kernel, static_cast<unsigned>((N + 255) / 256), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
}
