// SPDX-License-Identifier: Apache-2.0
// A target without the fuzzer: every file that is named, or lies in a folder that is named, once.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "target.hpp"
#include "util/files.hpp"

namespace fs = std::filesystem;

namespace {

void replay(const fs::path& file) {
  const std::string bytes = dlrun::read_file(file);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::vector<fs::path> files_of(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  int done = 0, found = 0;
  for (int i = 1; i < count; ++i) {
    for (const fs::path& file : files_of(arguments[i])) {
      ++done;
      try {
        replay(file);
      } catch (const std::exception& fault) {
        ++found;
        std::printf("%s: %s\n", file.c_str(), fault.what());
      }
    }
  }
  std::printf("%d files, %d findings\n", done, found);
  return done > 0 && found == 0 ? 0 : 1;
}
