// SPDX-License-Identifier: Apache-2.0
// Where trials are computed. libtorch's CUDA half is opened here, by name and only where a study asks for it: a study
// on the CPU neither loads nor needs it.
#pragma once
#include <string>

#include <c10/core/Device.h>

#include "nn/precision.hpp"
#include "trial/runner.hpp"

namespace dlrun::train {

/// The GPUs that this process has.
struct Gpus {
  int count = 0;
  std::string why_none;  ///< where there is none: what is missing
};

struct DeviceChoice {
  at::Device device = at::kCPU;
  std::string warning;  ///< where it is not what was asked for; else empty
};

/// `cpu` and `auto` always have an answer; `cuda` and `cuda:N` compute on the CPU, with a warning, where there is no
/// GPU.
/// @throws Error(usage) for another name, and for an N that is too large.
DeviceChoice choose_device(const std::string& asked, const Gpus& there);

struct CudaOptions {
  double memory_share = 1;       ///< share of a GPU's memory that this process may take
  bool is_deterministic = true;  ///< no algorithm whose bits vary from run to run
};

/// Opens libtorch_cuda and counts what it sees; never throws. The options hold from the first call on, for CUDA reads
/// its environment once.
Gpus find_gpus(const CudaOptions& options);

/// The device that a study asks for; CUDA is opened only for one that may use it. @throws Error(usage).
DeviceChoice device_of(const trial::WorkSetup& setup);

/// The name of a device: "NVIDIA H100 80GB HBM3"; empty for the CPU, and if the driver does not say.
std::string device_name(at::Device device);

/// Gives back what libtorch keeps of freed memory of the device.
void release_memory(at::Device device);
/// The most bytes that tensors held on the device since note_peak(); 0 on the CPU.
std::int64_t peak_bytes(at::Device device);
void note_peak(at::Device device);

/// @throws Error(usage) naming the precision where the device cannot compute in it.
void check_precision(nn::Precision precision, at::Device device);

}  // namespace dlrun::train
