// What the judge and a runner share: a few pages of memory and one socket.
//
// The only header both sides include. Nothing in the page is a verdict: the
// judge copies each value once and trusts none of them. A runner that writes
// nonsense here harms its own result only.
//
// A call, cold:
//   judge   fills inputs, poisons outputs, evicts   runner stopped (SIGSTOP)
//   judge   kArmed, SIGCONT
//   runner  kReady, spins
//   judge   takes time t0, kGo
//   runner  inner_begin, solve(), inner_end, kDone
//   judge   sees kDone, takes time t1, SIGSTOP; outer time is t1 - t0
// The hand-over kGo -> kDone with nothing in between is measured in the same
// turn with a runner that has no solution loaded.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kernelopt::wire {

inline constexpr uint32_t kMagic = 0x4b4f5054;  // "KOPT"
inline constexpr uint32_t kVersion = 6;
inline constexpr int kMaxArguments = 1024;
inline constexpr int kMaxTensors = 1024;

// File descriptors a runner finds open.
inline constexpr int kSocketFd = 3;

enum class Phase : uint32_t {
  kIdle = 0,    // runner sleeps on the word until it is stopped
  kArmed = 1,   // judge: get ready
  kReady = 2,   // runner: spinning
  kGo = 3,      // judge: call now
  kDone = 4,    // runner: returned
  kLeave = 5,   // judge: stop serving calls, go back to the socket
};

enum class ArgumentKind : uint32_t {
  kPointer, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kFloat, kDouble,
  kStream,  // the runner's own cudaStream_t
};

// Whose memory the buffers are. On a GPU the runner's time is that between two
// events, recorded on the stream that solve() is given, or on the legacy default
// stream where it takes none; it waits for the whole device before it is done.
enum class Place : uint32_t { kHost, kGpu };

// For kPointer: not a tensor but the memory that solve_workspace_bytes() asked
// for.
inline constexpr uint32_t kWorkspace = 0xffffffff;

// One argument of solve() in call order.
struct Argument {
  ArgumentKind kind;
  uint32_t tensor;  // for kPointer: index into tensors, or kWorkspace
  int64_t integer;  // for integer kinds
  double real;      // for kFloat and kDouble
};

// Where a tensor lies in its memory object. The runner maps the pages that hold
// it, with an unmapped guard on either side.
struct Tensor {
  uint32_t object;  // 0: inputs (read-only), 1: outputs
  uint32_t lasting;  // 1: static and plan, which further sets do not have
  uint64_t map_offset;  // page-aligned start of the segment in the object
  uint64_t map_bytes;   // whole pages
  uint64_t offset;      // of the tensor inside the segment
  uint64_t bytes;
};

// The last thing a dying runner says; only ever makes a message friendlier.
struct Fault {
  int32_t signal;      // 0: none
  int32_t tensor;      // the tensor whose pages or guard hold the address, or -1
  uint64_t address;
  int32_t in_guard;    // 1: outside the tensor's pages, in the guard
  int32_t system_call; // for SIGSYS
};

// solve_prepare() or solve_workspace_bytes(): arguments of solve() by index.
struct SideCall {
  uint32_t there;  // 0: the solution has none
  uint32_t argument_count;
  uint16_t arguments[kMaxArguments];
};

// Calls one behind the other, told before go; GPUs. Inputs and outputs come
// from further sets that lie one behind the other in objects of their own.
struct Batch {
  uint32_t calls;  // 0: one call, on the buffers of "load"; of "null": kernels that do nothing
  uint32_t sets;   // call k takes set k modulo this
};

struct ControlPage {
  uint32_t magic, version;
  alignas(64) std::atomic<uint32_t> phase;
  alignas(64) uint64_t inner_begin_ns, inner_end_ns;  // runner's CLOCK_MONOTONIC
  double device_us;      // between the events
  double lead_us;        // what the runner itself did on the GPU before the first of them
  uint64_t returned_ns;  // when solve() had returned; on a GPU its kernels may still run
  int32_t device_error;  // CUresult, 0: none
  alignas(64) Fault fault;
  // Written by the judge before a null call: private memory to read in it, so
  // that caches are as cold afterwards as a kernel leaves them.
  alignas(64) uint64_t walk_bytes;
  // Written by the judge before a call.
  Batch batch;
  // Written by the judge before "load" and "null".
  alignas(64) Place place;
  uint32_t argument_count, tensor_count;
  uint64_t object_bytes[2];  // of inputs and outputs
  Argument arguments[kMaxArguments];
  Tensor tensors[kMaxTensors];
  SideCall prepare, workspace;
  uint64_t workspace_limit;  // bytes
  // Written before "sets": bytes from one set to the next, and of all.
  uint64_t set_bytes[2], sets_bytes[2];
};

inline constexpr size_t kControlBytes = 131072;
static_assert(sizeof(ControlPage) <= kControlBytes);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// Messages over the socket (SOCK_SEQPACKET), runner side of the conversation:
//   judge  "warm"  + fds {control}, perhaps: makes the context of a GPU early
//   runner "ok" | "error <text>"
//   judge  "load"  + fds {control, inputs, outputs, shared object}
//   runner "ok" | "error <text>"
//   judge  "prepare", after "load": calls solve_workspace_bytes() and
//          solve_prepare() where they are
//   runner "ok <workspace bytes>" | "error <text>"
//   judge  "serve": runner "ok", then calls over the page until kLeave
//   judge  "sets"  + fds {inputs, outputs}: further sets, after kLeave
//   runner "ok", and waits for "serve" again
//   judge  "unload", after kLeave: lets go of solution and buffers
//   runner "ok", and waits for "load" again
//   judge  "null"  + fds {control}: the same, of calls that do nothing
inline constexpr char kWarm[] = "warm";
inline constexpr char kLoad[] = "load";
inline constexpr char kPrepare[] = "prepare";
inline constexpr char kServe[] = "serve";
inline constexpr char kSets[] = "sets";
inline constexpr char kUnload[] = "unload";
inline constexpr char kNull[] = "null";
inline constexpr char kOk[] = "ok";
inline constexpr char kErrorPrefix[] = "error ";
inline constexpr size_t kMaxMessage = 192 << 10;

}  // namespace kernelopt::wire
