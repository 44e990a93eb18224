# Debian 12 packages; deploy/packages.txt installs them.

find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)  # before gRPC: its config needs the targets
find_package(gRPC CONFIG REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(SQLiteCpp CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBFFI REQUIRED IMPORTED_TARGET libffi)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(TOMLPP REQUIRED IMPORTED_TARGET tomlplusplus)

# CUDA is optional: without it only the host device is built, and
# `koptctl doctor` says so. The .cu examples are compiled where nvcc is.
find_program(KOPT_NVCC nvcc HINTS /usr/local/cuda/bin)
if(KOPT_NVCC)
  set(KOPT_CUDA "${KOPT_NVCC}")
  get_filename_component(nvcc ${KOPT_NVCC} REALPATH)
  get_filename_component(toolkit ${nvcc}/../.. ABSOLUTE)
  set(KOPT_CUDA_INCLUDE ${toolkit}/include)
  set(KOPT_CUDA_ARCHITECTURES -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=sm_90)
else()
  set(KOPT_CUDA "not found (host device only)")
endif()
