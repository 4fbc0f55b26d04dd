// SPDX-License-Identifier: Apache-2.0
#include "train/runtime.hpp"

#include <algorithm>
#include <fstream>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

namespace dlrun::train {

namespace {

/// "Intel(R) Xeon(R) Processor"; empty where /proc does not say.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

}  // namespace

trial::Runtime describe_runtime(const std::string& determinism) {
  trial::Runtime r;
  r.libtorch = TORCH_VERSION;
  r.device = "cpu: " + processor_name();
  r.threads = at::get_num_threads();
  r.numerics = fmt::format("libtorch {}, cpu, {} thread{}, {}{}", r.libtorch, r.threads, r.threads == 1 ? "" : "s",
                           lower(at::get_cpu_capability()), determinism == "portable" ? ", portable" : "");
  return r;
}

}  // namespace dlrun::train
