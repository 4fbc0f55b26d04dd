// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recipe/metric_share.hpp"
#include "report/ablation_findings.hpp"

namespace dlrun::report {

namespace {

constexpr int kMostDecimals = 15;

/// Decimals that show two digits of a width, or of points one; they may be too many to read.
int decimals_of(double width, bool is_share) {
  if (!(width > 0)) return is_share ? 1 : 3;
  const int digits = (is_share ? 0 : 1) - int(std::floor(std::log10(width)));
  return std::max(digits, is_share ? 1 : 0);
}

}  // namespace

Amounts::Amounts(const AblationStudy& study) : metric_(study.metric), maximize_(study.maximize) {
  const bool is_training = study.spec.value("trial", Json::object()).value("kind", "train") == "train";
  is_share_ = is_training && recipe::is_share(study.metric);  // a program may count in percent
}

std::string Amounts::size_of(const statistics::Effect& effect) const {
  double mean = scale() * effect.mean, low = scale() * effect.low, high = scale() * effect.high;
  if (mean < 0) {
    mean = -mean;
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  const int decimals = decimals_of(high > low ? (high - low) / 2 : 0, is_share_);
  const char* unit = is_share_ ? " points" : "";
  if (high == low) return is_share_ ? fmt::format("{:.{}f}{}", mean, decimals, unit) : fmt::format("{:.3g}", mean);
  if (decimals > kMostDecimals) return fmt::format("{:.3g}{} [{:.3g}, {:.3g}]", mean, unit, low, high);
  return fmt::format("{:.{}f}{} [{:.{}f}, {:.{}f}]", mean, decimals, unit, low, decimals, high, decimals);
}

std::string Amounts::text(double amount) const {
  std::string number = fmt::format("{:.3g}", scale() * amount);
  if (!is_share_) return number;
  return number + (number == "1" ? " point" : " points");
}

std::string Amounts::change(const statistics::Effect& gain, bool is_lost) const {
  if (gain.low == 0 && gain.high == 0) return "does not change " + metric_;
  const bool is_worse = (gain.mean > 0) == is_lost;
  if (is_share_) return (is_worse ? "costs " : "gains ") + size_of(gain);
  const bool is_less = is_worse == maximize_;
  return fmt::format("{} {} by {}", is_less ? "lowers" : "raises", metric_, size_of(gain));
}

}  // namespace dlrun::report
