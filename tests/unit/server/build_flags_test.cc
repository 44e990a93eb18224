#include "queue/build_flags.h"

#include <gtest/gtest.h>

namespace kernelopt::server {
namespace {

TEST(BuildFlags, WhatKernelsAreBuiltWithIsAllowed) {
  for (const char* flag :
       {"-O2", "-Ofast", "-std=c++20", "-fopenmp", "-ffast-math", "-fno-math-errno", "-funroll-loops", "-mavx2", "-mprefer-vector-width=512",
        "-march=native", "-DTILE=64", "-DFLAG", "-UFLAG", "-Iinc", "-Iinc/deep", "-I.", "-lcublas", "-lcublasLt", "-lcudnn", "-lcudart_static", "-lm", "-fPIC", "--std=c++17", "-I./inc", "-Xptxas=-O3,-v", "-Xcompiler=-fPIC,-O2", "-Xcudafe=--diag_suppress=177", "-t0", "-m64", "--resource-usage", "-DX=1.5f", "-fno-exceptions",
        "-Wall", "-Wno-unused-variable", "-use_fast_math", "--use_fast_math", "--expt-relaxed-constexpr", "-maxrregcount=64",
        "--maxrregcount=64", "-ftz=true", "-rdc=true", "-lineinfo", "-Xptxas=-O3", "--ptxas-options=-dlcm=ca", "-Xcompiler=-fopenmp",
        "--default-stream=legacy", "--extended-lambda", "-G"}) {
    EXPECT_EQ(RefusedFlag({flag}, {}), "") << flag;
  }
  EXPECT_EQ(RefusedFlag({"-Xptxas", "-warn-spills", "-Xcompiler", "-mavx2", "-O3"}, {}), "");
}

TEST(BuildFlags, WhatReadsWritesOrRunsSomethingElseIsNot) {
  for (const char* flag :
       {"-fplugin=evil.so", "-fplugin-arg-x-y", "-fprofile-use=/etc/passwd", "-fdump-tree-all", "-fsanitize=address", "-o", "-o/out/x", "-x", "-E", "-S",
        "-B/tmp", "-specs=x", "-wrapper", "-include", "-include/etc/shadow", "-imacros", "-I/etc", "-I../x", "-Iinc/../..", "-L/tmp", "-l/etc/x", "-l:x.so",
        "-Wl,-rpath,/tmp", "-Wp,-MD,x", "-Wa,-a", "-Xlinker", "-T", "-save-temps", "-MD", "--options-file=x", "-ccbin=/bin/sh", "--keep",
        "-Xptxas=-o", "-Xptxas=--output-file=x", "-Xcompiler=-fplugin=x.so", "-Xcompiler=-Wl,x", "-fuse-ld=x", "-ffile-prefix-map=a=b",
        "-D", "-DX\n-o", "-DX=$(id)", "-DX=`id`", "-DX=1;id", "-DX=1 -fplugin=x.so", "-Xcompiler=-DX=1,-fplugin=x.so", "-Xptxas=-v,-o", "-fmodules-ts",
        "-fmodule-mapper=map", "-fbranch-probabilities", "-fcallgraph-info", "-ftest-coverage", "-fcompare-debug=-fplugin=x", "-ldir", "-lib", "-link", "-ltoir",
        "-fatbin", "-fdevice-time-trace", "-frandom-seed", "-Wl", "-Xcudafe=-o", "--", "-", "", "@file", "k.cpp"}) {
    EXPECT_NE(RefusedFlag({flag}, {}), "") << flag;
  }
  EXPECT_NE(RefusedFlag({"-Xcompiler", "-fplugin=x.so"}, {}), "");
  EXPECT_NE(RefusedFlag({"-maxrregcount", "64"}, {}), "");
  EXPECT_NE(RefusedFlag({"64"}, {}).find("-maxrregcount=64"), std::string::npos);
  EXPECT_NE(RefusedFlag({"-O3", "-Xptxas"}, {}).find("hands on"), std::string::npos);
}

TEST(BuildFlags, TheDeviceHasTheArchitecture) {
  for (const char* flag : {"-arch=sm_80", "-gencode=arch=compute_80,code=sm_80", "--gpu-architecture=sm_90a"}) {
    EXPECT_NE(RefusedFlag({flag}, {}).find("cannot be chosen"), std::string::npos) << flag;
  }
}

TEST(BuildFlags, AnAdministratorMayAllowMoreAndTheLengthIsLimited) {
  EXPECT_EQ(RefusedFlag({"-fsanitize=address"}, {"-fsanitize="}), "");
  EXPECT_EQ(RefusedFlag({"-Xptxas=-new-option"}, {"-new-"}), "");
  EXPECT_EQ(RefusedFlag({"-D" + std::string(510, 'x')}, {}), "");
  EXPECT_NE(RefusedFlag({"-D" + std::string(511, 'x')}, {}), "");
}

}  // namespace
}  // namespace kernelopt::server
