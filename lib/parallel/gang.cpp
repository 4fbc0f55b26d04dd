// SPDX-License-Identifier: Apache-2.0
#include "parallel/gang.hpp"

#include <cmath>

namespace dlrun::parallel {

double rate_of(const ParallelConfig& config) {
  const bool is_scaled = std::visit([](const auto& settings) { return settings.kIsScaled; }, config.method);
  if (config.lr_scale == "none" || (config.lr_scale == "auto" && !is_scaled)) return 1;
  return config.lr_scale == "sqrt" ? std::sqrt(double(config.ranks)) : double(config.ranks);
}

bool steps_by_mean(const Method& method) {
  const Bsp* const bsp = std::get_if<Bsp>(&method);
  return std::holds_alternative<ArSgd>(method) || (bsp != nullptr && bsp->momentum == "server");
}

}  // namespace dlrun::parallel
