#include "worker/settings.h"

namespace kernelopt::worker {

std::vector<support::Setting> WorkerSettings() {
  using Type = support::Setting::Type;
  return {
      {"worker.state_directory", Type::kText, "/var/lib/kernelopt/worker",
       "spool, compile cache, work folders"},
      {"worker.lock_directory", Type::kText, "/run/kernelopt",
       "one worker per device and machine; the lock files"},
      {"worker.torch", Type::kText, "auto", "auto: PyTorch where installed; off: NumPy"},
      {"worker.python", Type::kText, "",
       "interpreter of references and Python solutions; empty: the first of $VIRTUAL_ENV, python3 and /usr/bin/python3 that imports PyTorch"},
      {"worker.zygote", Type::kText, "on", "on: Python processes are forked from one that has imported PyTorch; off: each imports by itself"},
      {"worker.reference_seconds", Type::kInteger, "60", "one run of reference()"},
      {"worker.oracle_seconds", Type::kReal, "2",
       "one run of reference() on float64, for expected values; 0: its own type"},
      {"worker.workspace_bytes", Type::kInteger, "4294967296",
       "most that solve_workspace_bytes() may ask for"},
      {"worker.warm_references", Type::kInteger, "4",
       "reference processes kept, each for the next job of its user and problem"},
      {"worker.runner_reuse", Type::kText, "never",
       "same-run: candidates of one user's run are called in one process; never"},
      {"worker.spare_runners", Type::kInteger, "2", "processes that wait with imports and GPU context done, of each kind"},
      {"worker.busy_seconds", Type::kReal, "10",
       "wait for a GPU that another process uses too; then jobs end DISTURBED"},
      {"worker.retry_seconds", Type::kReal, "30",
       "a device that does not work is tried again after so long, by a new process"},
      {"worker.nvcc", Type::kText, "/usr/local/cuda/bin/nvcc", "compiler of CUDA C++, for a GPU"},
      {"worker.host_compiler", Type::kText, "", "nvcc's -ccbin and the C compiler of Triton, an absolute path; empty: their own choice"},
      {"worker.cutlass", Type::kText, "", "a checkout of CUTLASS, for the implementation cutlass; empty: $CUTLASS_PATH"},
      {"worker.build_seconds", Type::kInteger, "120", "one compilation"},
      {"worker.build_bytes", Type::kInteger, "4294967296", "address space of the compiler"},
      {"worker.cache_bytes", Type::kInteger, "1073741824", "compile cache, and as much of what Triton compiled"},
      {"worker.ahead_seconds", Type::kInteger, "40", "for compiling a Triton solution before its turn"},
      {"worker.max_buffer_bytes", Type::kInteger, "0", "buffers of one job; 0: what is free"},
      {"worker.kernel_bytes", Type::kInteger, "8589934592",
       "address space of a kernel beside its buffers"},
      {"worker.noise_floor", Type::kReal, "0.01",
       "relative difference two equal kernels may show, until it was measured"},
      {"worker.process_noise", Type::kReal, "0.01",
       "standard deviation between pairs of processes, until it was measured"},
      {"worker.gpu_noise_floor", Type::kReal, "0.003", "noise_floor of a GPU"},
      {"worker.gpu_process_noise", Type::kReal, "0.001", "process_noise of a GPU"},
      {"worker.gpu_process_noise_us", Type::kReal, "0.15",
       "and what two processes of a GPU differ by at least, microseconds, however short the kernel"},
      {"worker.measure_noise", Type::kText, "on",
       "on: compare equal kernels when idle, for noise_floor and process_noise; off"},
      {"worker.idle_seconds", Type::kReal, "5", "without a job before that begins"},
      {"worker.same_within", Type::kReal, "0.02", "relative difference that still counts as SAME"},
      {"worker.exit_when_orphaned_seconds", Type::kReal, "0",
       "exit after so long without a server; 0: never"},
      {"worker.log_level", Type::kText, "info", "trace, debug, info, warn, error"},
      {"worker.log_format", Type::kText, "text", "text, or json: one object a line"},
  };
}

}  // namespace kernelopt::worker
