// libkopt_wire.so: the loop of kopt-runner for Python processes, which call it
// through ctypes (kopt_wire.py). One thread, one page.
#include <memory>
#include <string>

#include "runner/cuda.h"
#include "runner/serve.h"

namespace {

using namespace kernelopt::wire;  // NOLINT: this file is the other half of that header

std::unique_ptr<kernelopt::runner::Gpu> g_gpu;  // calls are timed by its events
std::string g_trouble;

}  // namespace

extern "C" {

// From now on calls are timed by events, on the legacy default stream. Opens the
// GPU the first time. 0: it is open; otherwise kopt_trouble() says why not.
int kopt_use_gpu() {
  try {
    if (!g_gpu) g_gpu = kernelopt::runner::Gpu::Open();
    g_gpu->Forget();
    return 0;
  } catch (const kernelopt::runner::Trouble& trouble) {
    g_trouble = trouble.what();
    return 1;
  }
}
const char* kopt_trouble() { return g_trouble.c_str(); }

// Memory whose pages are looked up before each timed call: the first two count.
void kopt_know(void* at, uint64_t bytes) {
  if (g_gpu) g_gpu->Know(static_cast<char*>(at), bytes);
}

// Waits to be told to call; 0: leave. `calls` is 0 for one call, or how many are
// wanted behind each other on so many `sets`. What the interpreter does until
// kopt_done is inside both clocks.
int kopt_next(void* memory, uint32_t* calls, uint32_t* sets) {
  auto* page = static_cast<ControlPage*>(memory);
  if (!WaitForGo(page)) return 0;
  *calls = page->batch.calls;
  *sets = page->batch.sets;
  Begin(page);
  if (g_gpu) g_gpu->Begin(false);
  return 1;
}

void kopt_done(void* memory) {
  auto* page = static_cast<ControlPage*>(memory);
  if (g_gpu) {
    g_gpu->End(false);
    page->returned_ns = NowNs();
    page->device_error = g_gpu->Finish(page->device_us, page->lead_us);
  }
  Done(page);
}

}  // extern "C"
