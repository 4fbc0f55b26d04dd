// SPDX-License-Identifier: Apache-2.0
// Mixed precision: products and convolutions in 16 bits, everything that is kept in float32 (Micikevicius et al., ICLR
// 2018, arXiv:1710.03740; which operations: torch.autocast).
#pragma once
#include <optional>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dlrun::nn {

/// Number format of the forward pass. Weights, gradients of weights, buffers and the optimiser are float32 always.
enum class Precision { fp32, bf16, fp16 };

inline constexpr const char* kPrecisionNames[] = {"fp32", "bf16", "fp16"};  ///< by Precision

inline const char* name_of(Precision precision) { return kPrecisionNames[static_cast<std::size_t>(precision)]; }

/// Precision and device of a model.
struct Compute {
  Precision precision = Precision::fp32;
  at::Device device = at::kCPU;
};

at::ScalarType type_of(Precision precision);
/// nullopt for a name that is none.
std::optional<Precision> find_precision(const std::string& name);

/// ATen's autocast while this lives, with its state before put back at the end and its cache of cast weights emptied
/// when the outermost one ends, exactly as torch.autocast does. Does nothing for fp32.
class Autocast {
 public:
  Autocast(at::DeviceType device, Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool is_on_;
  bool was_enabled_ = false, had_cache_ = false;
  at::ScalarType had_type_ = at::kFloat;
};

/// No autocast while this lives where it would compute in float16 on the CPU, for whose LSTM PyTorch has no such
/// kernel.
class NoHalfOnCpu {
 public:
  explicit NoHalfOnCpu(at::DeviceType device);
  bool is_needed() const { return guard_.has_value(); }

 private:
  std::optional<c10::impl::ExcludeDispatchKeyGuard> guard_;
};

}  // namespace dlrun::nn
