// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/slope.hpp"

#include <fmt/format.h>

#include <cmath>

#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr double kStepWidths[] = {1e-2, 3e-3, 1e-3};
constexpr double kFloatRounding = 20 * 0x1p-24;  ///< error of a sum of float32 numbers, relative to its size

double length_of(const at::Tensor& tensor) { return tensor.to(at::kDouble).norm().item<double>(); }

struct Compared {
  double analytic = 0, numeric = 0;
  bool agrees = false;
};

Compared compare(const Slope& slope, const at::Tensor& direction, double step) {
  const auto at = [&](double distance) { return slope.value(slope.point + distance * direction); };
  const Summed above = at(step), below = at(-step);
  const at::Tensor along = slope.gradient.to(at::kDouble) * direction.to(at::kDouble);
  Compared compared{along.sum().item<double>(), (above.sum - below.sum) / (2 * step)};
  const double rounding = kFloatRounding * (1 + above.size + below.size) / step;
  const double allowed = kSlopeTolerance * (length_of(slope.gradient) + std::abs(compared.numeric)) + rounding;
  compared.agrees = std::abs(compared.analytic - compared.numeric) <= allowed;
  return compared;
}

}  // namespace

Summed summed(const at::Tensor& numbers, const at::Tensor& weights) {
  const at::Tensor parts = numbers.detach().to(at::kDouble) * weights.to(at::kDouble);
  return {parts.sum().item<double>(), parts.norm().item<double>()};
}

void require_slope(const Slope& slope) {
  if (!is_finite(slope.gradient)) throw Broken{fmt::format("the gradient of {} is not finite", slope.of)};
  for (const char* name : {"direction", "another direction"}) {
    const at::Tensor direction = drawn(slope.point.sizes().vec(), name);
    Compared compared;
    for (const double step : kStepWidths) {
      compared = compare(slope, direction, step);
      if (compared.agrees) break;
    }
    if (!compared.agrees)
      throw Broken{fmt::format("along a direction the gradient of {} is {:.4g}, but numerical differences say {:.4g}",
                               slope.of, compared.analytic, compared.numeric)};
  }
}

}  // namespace dlrun::train::contracts
