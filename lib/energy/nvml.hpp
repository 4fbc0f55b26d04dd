// SPDX-License-Identifier: Apache-2.0
// Energy and memory of NVIDIA's cards, asked of the library that comes with their driver (NVML), which is opened when
// it is needed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "energy/counters.hpp"

namespace dlrun::energy {

/// $DLRUN_NVML, else libnvidia-ml.so.1.
std::string nvml_library();

/// A counter for each of these GPUs: millijoules since the driver was loaded (nvmlDeviceGetTotalEnergyConsumption, from
/// Volta on); of older cards the power, as an integral by the trapezoidal rule.
/// @param gpus    by the names that CUDA_VISIBLE_DEVICES takes (executor/gpu_slots.hpp): a number, a UUID or how one
///                begins. CUDA may number cards in another order than NVML: a number is taken only where all cards are
///                of one kind or CUDA_DEVICE_ORDER is PCI_BUS_ID.
/// @param claims  as open_rapl(): of two drivers that name a card the first counts it
Counters open_nvml(const std::string& library, const std::vector<std::string>& gpus, bool claims);

/// Free part of the memory of the fullest of these GPUs, 0 to 1; nullopt: there is none, or one does not tell.
std::optional<double> free_gpu_memory(const std::string& library, const std::vector<std::string>& gpus);

}  // namespace dlrun::energy
