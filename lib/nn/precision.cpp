// SPDX-License-Identifier: Apache-2.0
#include "nn/precision.hpp"

#include <iterator>

#include <ATen/autocast_mode.h>

namespace dlrun::nn {

at::ScalarType type_of(Precision precision) {
  if (precision == Precision::fp32) return at::kFloat;
  return precision == Precision::bf16 ? at::kBFloat16 : at::kHalf;
}

std::optional<Precision> find_precision(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kPrecisionNames); ++i) {
    if (name == kPrecisionNames[i]) return static_cast<Precision>(i);
  }
  return std::nullopt;
}

Autocast::Autocast(at::DeviceType device, Precision precision) : device_(device), is_on_(precision != Precision::fp32) {
  if (!is_on_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device);
  had_type_ = at::autocast::get_autocast_dtype(device);
  had_cache_ = at::autocast::is_autocast_cache_enabled();
  at::autocast::set_autocast_enabled(device, true);
  at::autocast::set_autocast_dtype(device, type_of(precision));
  at::autocast::increment_nesting();
  at::autocast::set_autocast_cache_enabled(true);
}

Autocast::~Autocast() {
  if (!is_on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, had_type_);
  at::autocast::set_autocast_cache_enabled(had_cache_);
}

NoHalfOnCpu::NoHalfOnCpu(at::DeviceType device) {
  const bool is_half = device == at::kCPU && at::autocast::is_autocast_enabled(device) &&
                       at::autocast::get_autocast_dtype(device) == at::kHalf;
  if (is_half) guard_.emplace(c10::DispatchKey::AutocastCPU);
}

}  // namespace dlrun::nn
