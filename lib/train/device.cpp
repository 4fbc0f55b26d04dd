// SPDX-License-Identifier: Apache-2.0
#include "train/device.hpp"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// The N of "cuda:N", 0 of "cuda". nullopt where it is neither.
std::optional<int> cuda_index(const std::string& asked) {
  if (asked == "cuda") return 0;
  constexpr std::string_view kPrefix = "cuda:";
  if (!asked.starts_with(kPrefix)) return std::nullopt;
  int index = -1;
  const char* end = asked.data() + asked.size();
  const auto [stop, fault] = std::from_chars(asked.data() + kPrefix.size(), end, index);
  return fault == std::errc() && stop == end && index >= 0 ? std::optional(index) : std::nullopt;
}

/// Adds to what a person may have set.
void set_memory_share(double share) {
  const char* set = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
  const std::string mine = fmt::format("per_process_memory_fraction:{}", share);
  ::setenv("PYTORCH_CUDA_ALLOC_CONF", (set && *set ? std::string(set) + "," + mine : mine).c_str(), 1);
}

/// cuBLAS is deterministic with a workspace of its own (CUDA's documentation of cuBLAS, "Results reproducibility").
void prepare_environment(const CudaOptions& options) {
  if (options.memory_share < 1) set_memory_share(options.memory_share);
  if (options.is_deterministic) ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
}

/// float32 is float32: no TF32 behind a person's back. Memory that nobody wrote is not filled.
void settle(const CudaOptions& options) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(false);
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(options.is_deterministic);
  context.setDeterministicAlgorithms(options.is_deterministic, false);
  context.setDeterministicFillUninitializedMemory(false);
}

/// Folder of the open libtorch: no search path leads to it, because dlrun-worker opens it by its own path.
std::filesystem::path libtorch_folder() {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&at::globalContext), &found) == 0) return {};
  return std::filesystem::path(found.dli_fname).parent_path();
}

/// @return why it cannot be opened; empty if it is open
std::string open_cuda() {
  const std::filesystem::path file = libtorch_folder() / "libtorch_cuda.so";
  if (!std::filesystem::exists(file)) {
    return fmt::format("the libtorch in '{}' has no CUDA: docs/devices.md says which has", file.parent_path().string());
  }
  return ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr ? ::dlerror() : "";
}

Gpus open_and_count(const CudaOptions& options) {
  prepare_environment(options);
  if (const std::string fault = open_cuda(); !fault.empty()) return {0, fault};
  const int count = c10::impl::hasDeviceGuardImpl(at::kCUDA) ? c10::impl::VirtualGuardImpl(at::kCUDA).deviceCount() : 0;
  if (count == 0) return {0, "CUDA sees no GPU here, or its driver is too old: `dlrun doctor` says more"};
  at::globalContext().lazyInitDevice(at::kCUDA);
  settle(options);
  return {count, {}};
}

}  // namespace

DeviceChoice choose_device(const std::string& asked, const Gpus& there) {
  if (asked.empty() || asked == "cpu") return {};
  if (asked == "auto") return {there.count > 0 ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU), {}};
  const std::optional<int> index = cuda_index(asked);
  if (!index) {
    throw Error(ErrorKind::usage, fmt::format("resources.device: there is no '{}'", asked),
                "known are cpu, auto, cuda and cuda:N");
  }
  if (there.count == 0) {
    return {at::kCPU,
            fmt::format("resources.device is '{}', but this trial runs on the CPU: {}", asked, there.why_none)};
  }
  if (*index >= there.count) {
    throw Error(ErrorKind::usage, fmt::format("resources.device: there is no '{}'", asked),
                fmt::format("there {} {} here, the first is cuda:0", there.count == 1 ? "is" : "are", there.count));
  }
  return {at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(*index)), {}};
}

Gpus find_gpus(const CudaOptions& options) {
  static const Gpus found = open_and_count(options);
  return found;
}

DeviceChoice device_of(const trial::WorkSetup& setup) {
  if (setup.device.empty() || setup.device == "cpu") return {};
  return choose_device(setup.device, find_gpus({setup.gpu_share, setup.trial.value("deterministic", true)}));
}

std::string device_name(at::Device device) {
  if (!device.is_cuda()) return {};
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return {};
  const auto get = reinterpret_cast<int (*)(int*, int)>(::dlsym(driver, "cuDeviceGet"));
  const auto name = reinterpret_cast<int (*)(char*, int, int)>(::dlsym(driver, "cuDeviceGetName"));
  char text[256] = {};
  int handle = 0;
  const bool is_known =
      get && name && get(&handle, device.index()) == 0 && name(text, int(sizeof text) - 1, handle) == 0;
  return is_known ? text : "";
}

void release_memory(at::Device device) {
  if (!device.is_cpu()) at::getDeviceAllocator(device.type())->emptyCache();
}

namespace {

constexpr std::size_t kAll = 0;  // c10::CachingAllocator::StatType::AGGREGATE

}  // namespace

std::int64_t peak_bytes(at::Device device) {
  if (device.is_cpu()) return 0;
  return at::getDeviceAllocator(device.type())->getDeviceStats(device.index()).allocated_bytes[kAll].peak;
}

void note_peak(at::Device device) {
  if (!device.is_cpu()) at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

void check_precision(nn::Precision precision, at::Device device) {
  if (precision == nn::Precision::fp32 || at::autocast::is_autocast_available(device.type())) return;
  throw Error(ErrorKind::usage,
              fmt::format("precision: {} cannot be computed on '{}'", nn::name_of(precision), device.str()),
              "write precision: fp32");
}

}  // namespace dlrun::train
