// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dlrun::train {

namespace {

/// NaN where one is NaN.
double greater(double a, double b) { return std::isnan(b) || b > a ? b : a; }

}  // namespace

void Errors::add_example(const float* output, const float* target, std::int64_t width) {
  const bool is_scaled = !unit_.empty();
  const auto number = [&](std::size_t k) {
    return is_scaled ? double(target[k]) * unit_.scale[k] + unit_.shift[k] : double(target[k]);
  };
  if (origin_.empty()) {
    for (std::size_t k = 0; k < std::size_t(width); ++k) origin_.push_back(number(k));
    for (auto* sums : {&squared_, &error_, &target_, &target_squared_}) sums->assign(std::size_t(width), 0);
  }
  ++count_;
  for (std::size_t k = 0; k < std::size_t(width); ++k) {
    const double error = (double(output[k]) - double(target[k])) * (is_scaled ? unit_.scale[k] : 1);
    const double from = number(k) - origin_[k], size = std::fabs(error);
    absolute_ += size;
    relative_ += size / std::max(std::fabs(number(k)), std::numeric_limits<double>::epsilon());
    greatest_ = greater(greatest_, size);
    squared_[k] += error * error;
    error_[k] += error;
    target_[k] += from;
    target_squared_[k] += from * from;
  }
}

void Errors::add(const Errors& other, double times) {
  if (other.origin_.empty()) return;
  if (origin_.empty()) {
    *this = other;
    return;
  }
  count_ += times * other.count_;
  absolute_ += times * other.absolute_;
  relative_ += times * other.relative_;
  greatest_ = greater(greatest_, other.greatest_);
  for (std::size_t k = 0; k < origin_.size(); ++k) {
    const double apart = other.origin_[k] - origin_[k];
    squared_[k] += times * other.squared_[k];
    error_[k] += times * other.error_[k];
    target_[k] += times * (other.target_[k] + other.count_ * apart);
    target_squared_[k] +=
        times * (other.target_squared_[k] + 2 * apart * other.target_[k] + other.count_ * apart * apart);
  }
}

/// 1 - (what is left) / (spread of the target), the mean over the targets; as in scikit-learn NaN of one example, which
/// has no spread, and 0 or 1 of several that are equal.
double Errors::explained(bool without_bias) const {
  if (count_ == 1) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t k = 0; k < squared_.size(); ++k) {
    const double spread = target_squared_[k] - target_[k] * target_[k] / count_;
    const double left = squared_[k] - (without_bias ? error_[k] * error_[k] / count_ : 0);
    sum += spread > 0 ? 1 - left / spread : left > 0 ? 0 : 1;
  }
  return squared_.empty() ? 0 : sum / double(squared_.size());
}

std::optional<double> Errors::value(const std::string& name) const {
  const double elements = std::max(1.0, count_ * double(squared_.size()));
  const double mse = std::accumulate(squared_.begin(), squared_.end(), 0.0) / elements;
  if (name == "mae") return absolute_ / elements;
  if (name == "mse") return mse;
  if (name == "rmse") return std::sqrt(mse);
  if (name == "mape") return relative_ / elements;
  if (name == "max_error") return greatest_;
  if (name == "r2") return explained(false);
  if (name == "explained_variance") return explained(true);
  return std::nullopt;
}

Json Errors::to_json() const {
  return {count_, absolute_, relative_, greatest_, {squared_, error_, origin_, target_, target_squared_}};
}

void Errors::restore(const Json& json) {
  json.at(0).get_to(count_);
  json.at(1).get_to(absolute_);
  json.at(2).get_to(relative_);
  json.at(3).get_to(greatest_);
  std::size_t next = 0;
  for (auto* sums : {&squared_, &error_, &origin_, &target_, &target_squared_}) json.at(4).at(next++).get_to(*sums);
}

}  // namespace dlrun::train
