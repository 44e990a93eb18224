// kopt-runner: maps the judge's buffers, loads one solution, calls solve() when
// told. Runs inside the sandbox, is never trusted, decides nothing.
//
// Built without sanitizers, always: they would change what is measured and
// reserve address space that the limits forbid.
#include <dlfcn.h>
#include <ffi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runner/anchor.h"
#include "runner/cuda.h"
#include "runner/serve.h"
#include "runner/wire.h"

namespace {

using namespace kernelopt::wire;  // NOLINT: this file is the other half of that header

constexpr size_t kGuard = 1 << 20;  // unmapped on either side of a tensor
constexpr size_t kMaxWalk = 2 << 20;

struct Mapped {
  char* guard_begin = nullptr;
  char* begin = nullptr;
  char* end = nullptr;
  char* guard_end = nullptr;
};

ControlPage* g_page = nullptr;
std::unique_ptr<kernelopt::runner::Gpu> g_gpu;  // where the buffers are on one
std::array<Mapped, kMaxTensors> g_mapped{};
uint32_t g_tensors = 0;

void OnFault(int signal_number, siginfo_t* info, void*) {
  if (g_page != nullptr) {
    Fault fault{signal_number, -1, 0, 0, 0};
    if (signal_number == SIGSYS) {
      fault.system_call = info->si_syscall;
    } else {
      const char* address = static_cast<const char*>(info->si_addr);
      fault.address = reinterpret_cast<uint64_t>(address);
      for (uint32_t i = 0; i < g_tensors; ++i) {
        const Mapped& m = g_mapped[i];
        if (address < m.guard_begin || address >= m.guard_end) continue;
        fault.tensor = static_cast<int32_t>(i);
        fault.in_guard = address < m.begin || address >= m.end ? 1 : 0;
      }
    }
    g_page->fault = fault;
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void InstallFaultHandlers() {
  static std::array<char, 65536> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS}) {
    sigaction(number, &action, nullptr);
  }
}

// One message with its descriptors.
struct Message {
  std::string text;
  std::vector<int> fds;
};

bool Receive(Message& message) {
  std::array<char, 256> buffer{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  iovec part{buffer.data(), buffer.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t n = recvmsg(kSocketFd, &header, 0);
  if (n <= 0) return false;
  message.text.assign(buffer.data(), static_cast<size_t>(n));
  message.fds.clear();
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    message.fds.resize(count);
    std::memcpy(message.fds.data(), CMSG_DATA(c), count * sizeof(int));
  }
  return true;
}

void Send(const std::string& text) { (void)send(kSocketFd, text.data(), text.size(), MSG_NOSIGNAL); }

[[noreturn]] void Fail(const std::string& text) {
  Send(kErrorPrefix + text);
  _exit(3);
}

void MapControl(int fd) {
  if (g_page != nullptr) munmap(g_page, kControlBytes);
  void* at = mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) Fail("cannot map the control page");
  close(fd);
  g_page = static_cast<ControlPage*>(at);
  if (g_page->magic != kMagic || g_page->version != kVersion) Fail("another wire version");
  if (g_page->place == Place::kGpu && !g_gpu) g_gpu = kernelopt::runner::Gpu::Open();
}

void MapTensor(const Tensor& tensor, int fd, Mapped& out) {
  const size_t room = tensor.map_bytes + 2 * kGuard;
  void* reserved = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) Fail("no address space for the buffers");
  out.guard_begin = static_cast<char*>(reserved);
  out.begin = out.guard_begin + kGuard;
  out.end = out.begin + tensor.map_bytes;
  out.guard_end = out.end + kGuard;
  const int access = tensor.object == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
  void* at = mmap(out.begin, tensor.map_bytes, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
                  static_cast<off_t>(tensor.map_offset));
  if (at == MAP_FAILED) Fail("cannot map a buffer");
}

ffi_type* TypeOf(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kPointer:
    case ArgumentKind::kStream: return &ffi_type_pointer;
    case ArgumentKind::kInt8: return &ffi_type_sint8;
    case ArgumentKind::kInt16: return &ffi_type_sint16;
    case ArgumentKind::kInt32: return &ffi_type_sint32;
    case ArgumentKind::kInt64: return &ffi_type_sint64;
    case ArgumentKind::kUint8: return &ffi_type_uint8;
    case ArgumentKind::kUint16: return &ffi_type_uint16;
    case ArgumentKind::kUint32: return &ffi_type_uint32;
    case ArgumentKind::kUint64: return &ffi_type_uint64;
    case ArgumentKind::kFloat: return &ffi_type_float;
    case ArgumentKind::kDouble: return &ffi_type_double;
  }
  Fail("unknown argument kind");
}

// One value in the form libffi wants it.
union Value {
  void* pointer;
  int64_t integer;
  float real32;
  double real64;
};

class Solution {
 public:
  Solution(const ControlPage& page, int inputs_fd, int outputs_fd, int object_fd) {
    const std::array<int, 2> fds = {inputs_fd, outputs_fd};
    if (g_gpu) {
      MapOnGpu(page, fds);
    } else {
      g_tensors = page.tensor_count;
      for (uint32_t i = 0; i < page.tensor_count; ++i) {
        MapTensor(page.tensors[i], fds[page.tensors[i].object], g_mapped[i]);
      }
      for (const int fd : fds) close(fd);
    }
    for (uint32_t i = 0; i < page.argument_count; ++i) {
      const Argument& argument = page.arguments[i];
      types_[i] = TypeOf(argument.kind);
      values_[i].integer = argument.integer;
      if (argument.kind == ArgumentKind::kFloat) values_[i].real32 = static_cast<float>(argument.real);
      if (argument.kind == ArgumentKind::kDouble) values_[i].real64 = argument.real;
      if (argument.kind == ArgumentKind::kPointer && argument.tensor != kWorkspace) {
        const Tensor& tensor = page.tensors[argument.tensor];
        values_[i].pointer = homes_[i] = g_mapped[argument.tensor].begin + tensor.offset;
      }
      if (argument.kind == ArgumentKind::kStream) {
        if (!g_gpu) Fail("a stream without a GPU");
        values_[i].pointer = g_gpu->stream();
        own_stream_ = true;
      }
      pointers_[i] = &values_[i];
    }
    if (ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, page.argument_count, &ffi_type_void, types_.data()) != FFI_OK) {
      Fail("libffi refused the signature");
    }
    path_ = "/proc/self/fd/" + std::to_string(object_fd);
    void* handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) Fail(std::string("dlopen: ") + dlerror());
    handle_ = handle;
    solve_ = Symbol(handle, "solve");
    if (page.prepare.there != 0) prepare_ = Symbol(handle, "solve_prepare");
    if (page.workspace.there != 0) workspace_bytes_ = Symbol(handle, "solve_workspace_bytes");
    close(object_fd);
  }

  // It must not be called any more.
  void LetGo() {
    dlclose(handle_);
    // Objects with unique symbols (statics of templates) stay, and the next one
    // would be taken for this one, whose name is the same.
    if (dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr) Fail("the solution cannot be unloaded");
    if (g_gpu) return g_gpu->LetGo();
    for (uint32_t i = 0; i < g_tensors; ++i) {
      munmap(g_mapped[i].guard_begin, static_cast<size_t>(g_mapped[i].guard_end - g_mapped[i].guard_begin));
    }
    g_tensors = 0;
    if (workspace_room_ != nullptr) munmap(workspace_room_, workspace_bytes_of_room_);
  }

  void Call() { ffi_call(&cif_, solve_, nullptr, pointers_.data()); }

  void TakeSets(const ControlPage& page, const std::array<int, 2>& fds) {
    if (!g_gpu) Fail("sets without a GPU");
    for (size_t k = 0; k < fds.size(); ++k) {
      sets_[k] = g_gpu->Map(fds[k], static_cast<int64_t>(page.sets_bytes[k]), k == 1);
    }
  }
  // One call behind the other, each on its set.
  void CallBatch(const ControlPage& page, Batch batch) {
    for (uint32_t call = 0; call < batch.calls; ++call) {
      PointAt(page, call % batch.sets);
      Call();
    }
    for (uint32_t i = 0; i < page.argument_count; ++i) {
      if (homes_[i] != nullptr) values_[i].pointer = homes_[i];
    }
  }
  // Its work belongs on the stream it is given.
  bool own_stream() const { return own_stream_; }

  // Bytes of the workspace.
  uint64_t Prepare(const ControlPage& page) {
    uint64_t bytes = 0;
    if (workspace_bytes_ != nullptr) {
      ffi_arg answer = 0;
      CallSide(workspace_bytes_, page.workspace, &ffi_type_uint64, &answer);
      bytes = answer;
      if (bytes > page.workspace_limit) {
        Fail("workspace of " + std::to_string(bytes) + " bytes asked for, " +
             std::to_string(page.workspace_limit) + " are allowed");
      }
      GiveWorkspace(page, bytes);
    }
    if (prepare_ != nullptr) CallSide(prepare_, page.prepare, &ffi_type_void, nullptr);
    return bytes;
  }

 private:
  using Function = void (*)();

  static Function Symbol(void* handle, const char* name) {
    const auto function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) Fail(std::string("no symbol ") + name);
    return function;
  }

  void PointAt(const ControlPage& page, uint32_t set) {
    for (uint32_t i = 0; i < page.argument_count; ++i) {
      if (homes_[i] == nullptr) continue;
      const Tensor& tensor = page.tensors[page.arguments[i].tensor];
      if (tensor.lasting != 0) continue;
      values_[i].pointer = sets_[tensor.object] + set * page.set_bytes[tensor.object] + tensor.map_offset + tensor.offset;
    }
  }

  // One mapping of each object: memory of a GPU cannot be mapped in parts.
  void MapOnGpu(const ControlPage& page, const std::array<int, 2>& fds) {
    std::array<char*, 2> bases{};
    for (size_t k = 0; k < fds.size(); ++k) {
      bases[k] = g_gpu->Map(fds[k], static_cast<int64_t>(page.object_bytes[k]), k == 1);
    }
    for (uint32_t i = 0; i < page.tensor_count; ++i) {
      g_mapped[i].begin = bases[page.tensors[i].object] + page.tensors[i].map_offset;
    }
  }

  // Its end lies at an unmapped page, up to alignment.
  void GiveWorkspace(const ControlPage& page, uint64_t bytes) {
    if (g_gpu) return GiveEveryone(page, g_gpu->Allocate(bytes));
    const size_t whole = (bytes + 4095) / 4096 * 4096;
    void* room = mmap(nullptr, whole + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) Fail("workspace: no address space");
    workspace_room_ = room;
    workspace_bytes_of_room_ = whole + 2 * kGuard;
    char* begin = static_cast<char*>(room) + kGuard;
    if (whole > 0 && mprotect(begin, whole, PROT_READ | PROT_WRITE) != 0) Fail("workspace: no memory");
    GiveEveryone(page, begin);
  }

  void GiveEveryone(const ControlPage& page, char* workspace) {
    for (uint32_t i = 0; i < page.argument_count; ++i) {
      if (page.arguments[i].tensor == kWorkspace) values_[i].pointer = workspace;
    }
  }

  void CallSide(Function function, const SideCall& call, ffi_type* returns, void* answer) {
    std::array<ffi_type*, kMaxArguments> types{};
    std::array<void*, kMaxArguments> pointers{};
    for (uint32_t i = 0; i < call.argument_count; ++i) {
      types[i] = types_[call.arguments[i]];
      pointers[i] = &values_[call.arguments[i]];
    }
    ffi_cif cif{};
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, call.argument_count, returns, types.data()) != FFI_OK) {
      Fail("libffi refused the signature");
    }
    ffi_call(&cif, function, answer, pointers.data());
  }

  ffi_cif cif_{};
  std::array<ffi_type*, kMaxArguments> types_{};
  std::array<Value, kMaxArguments> values_{};
  std::array<void*, kMaxArguments> pointers_{};
  std::array<char*, kMaxArguments> homes_{};  // of tensors: in the buffers of "load"
  std::array<char*, 2> sets_{};
  Function solve_ = nullptr, prepare_ = nullptr, workspace_bytes_ = nullptr;
  bool own_stream_ = false;
  std::string path_;
  void* handle_ = nullptr;
  void* workspace_room_ = nullptr;
  size_t workspace_bytes_of_room_ = 0;
};

// What the null runner reads between the stamps; volatile, so that it is done.
void Walk(uint64_t bytes) {
  static std::vector<char> memory(kMaxWalk, 1);
  const volatile char* at = memory.data();
  for (uint64_t i = 0; i < std::min<uint64_t>(bytes, kMaxWalk); i += 64) (void)at[i];
}

// On a GPU: two events around the call, then a wait for the device.
void ServeOnGpu(Solution* solution) {
  const bool own = solution != nullptr && solution->own_stream();
  while (WaitForGo(g_page)) {
    Begin(g_page);
    g_gpu->Begin(own);
    const Batch batch = g_page->batch;
    if (solution != nullptr && batch.calls > 0) {
      solution->CallBatch(*g_page, batch);
    } else if (solution != nullptr) {
      solution->Call();
    } else if (batch.calls > 0) {
      g_gpu->LaunchNothing();
    }
    g_gpu->End(own);
    g_page->returned_ns = NowNs();
    g_page->device_error = g_gpu->Finish(g_page->device_us, g_page->lead_us);
    Done(g_page);
  }
}

void Serve(Solution* solution) {
  if (g_gpu) return ServeOnGpu(solution);
  while (WaitForGo(g_page)) {
    Begin(g_page);
    if (solution != nullptr) {
      solution->Call();
    } else if (g_page->walk_bytes > 0) {
      Walk(g_page->walk_bytes);
    }
    Done(g_page);
  }
}

// What may follow "load"; false: the judge is gone, true: the solution is to be
// let go.
bool Answer(Solution& solution) {
  Message message;
  while (Receive(message)) {
    if (message.text == kUnload) return true;
    if (message.text == kPrepare) {
      Send(std::string(kOk) + " " + std::to_string(solution.Prepare(*g_page)));
    } else if (message.text == kSets && message.fds.size() == 2) {
      solution.TakeSets(*g_page, {message.fds[0], message.fds[1]});
      Send(kOk);
    } else if (message.text == kServe) {
      Send(kOk);
      Serve(&solution);
      fflush(nullptr);
    } else {
      Fail("unknown message");
    }
  }
  return false;
}

bool ServeSolution(const Message& load) {
  MapControl(load.fds[0]);
  InstallFaultHandlers();
  Solution solution(*g_page, load.fds[1], load.fds[2], load.fds[3]);
  Send(kOk);
  if (!Answer(solution)) return false;
  solution.LetGo();
  return true;
}

void Run() {
  Message message;
  while (Receive(message)) {
    if (message.text == kWarm && message.fds.size() == 1) {
      MapControl(message.fds[0]);
      Send(kOk);
    } else if (message.text == kNull && message.fds.size() == 1) {
      MapControl(message.fds[0]);
      Send(kOk);
      Serve(nullptr);
    } else if (message.text == kLoad && message.fds.size() == 4) {
      if (!ServeSolution(message)) return;
      Send(kOk);
    } else {
      Fail("unknown message");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "anchor") == 0) kernelopt::runner::Anchor();
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    Run();
  } catch (const kernelopt::runner::Trouble& trouble) {
    Fail(trouble.what());
  }
  _exit(0);
}
