// SPDX-License-Identifier: Apache-2.0
#include "train/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>

#include "train/device.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"

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

void require_capability() {
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!has_avx2 || std::getenv("ATEN_CPU_CAPABILITY") != nullptr || at::get_cpu_capability() != "DEFAULT") return;
  throw Error(ErrorKind::outside, "libtorch did not find out what this processor can: its results would differ",
              "it reads /proc/cpuinfo and /sys/devices/system/cpu when it begins");
#endif
}

trial::Runtime describe_runtime(const trial::WorkSetup& setup) {
  const DeviceChoice choice = device_of(setup);
  const bool is_cpu = choice.device.is_cpu();
  trial::Runtime r;
  r.libtorch = TORCH_VERSION;
  r.warning = choice.warning;
  r.device = is_cpu ? "cpu: " + processor_name() : choice.device.str() + ": " + device_name(choice.device);
  r.threads = at::get_num_threads();
  const bool is_free = !is_cpu && !setup.trial.value("deterministic", true);
  r.numerics = fmt::format("libtorch {}, {}{}, {} thread{}, {}{}, arithmetic {}", r.libtorch,
                           is_cpu ? "cpu" : "cuda " + device_name(choice.device), is_free ? " not deterministic" : "",
                           r.threads, r.threads == 1 ? "" : "s", lower(at::get_cpu_capability()),
                           setup.determinism == "portable" ? ", portable" : "", arithmetic::kVersion);
  return r;
}

}  // namespace dlrun::train
