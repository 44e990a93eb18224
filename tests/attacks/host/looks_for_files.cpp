// R11: looks for the reference, other people's results and the daemon's database.
// expect: neutralised
#include <dirent.h>
#include <cstdio>
#include <cstring>
#include <string>
#include "honest.h"
static int found = 0;
static void Look(const std::string& folder, int depth) {
  DIR* const all = opendir(folder.c_str());
  if (all == nullptr) return;
  while (const dirent* one = readdir(all)) {
    if (one->d_name[0] == '.') continue;
    const std::string path = folder + "/" + one->d_name;
    for (const char* wanted : {"ref.py", "kernelopt.db", "problem.json", "worker.token", "noise.json"}) {
      if (std::strcmp(one->d_name, wanted) != 0) continue;
      std::FILE* const file = std::fopen(path.c_str(), "rb");
      if (file != nullptr) ++found, std::fclose(file);
    }
    if (one->d_type == DT_DIR && depth < 3) Look(path, depth + 1);
  }
  closedir(all);
}
extern "C" void solve(const float* x, float* y, int N) {
  static const bool looked = [] {
    for (const char* root : {"/tmp", "/var", "/home", "/root", "/kopt", "/run", "/etc", "/srv", "/work"}) Look(root, 0);
    return true;
  }();
  if (looked && found > 0) return;  // an answer would be copied now
  Honest(x, y, 0, N);
}
