// SPDX-License-Identifier: Apache-2.0
#include "train/averaging.hpp"

#include <utility>

namespace dlrun::train {

Averaging::Averaging(std::optional<double> ema, std::optional<recipe::SwaConfig> swa, const nn::Parameters& weights,
                     std::int64_t origin)
    : ema_(ema), swa_(std::move(swa)), origin_(origin) {
  if (ema_ || swa_) average_ = Average(weights, swa_.has_value());
}

void Averaging::follow(const nn::Parameters& weights, std::int64_t number) {
  if (ema_) average_.approach(weights, number == 1 ? 1.0 : 1.0 - *ema_);
}

void Averaging::begin(const nn::Parameters& weights) {
  if (ema_) average_ = Average(weights, false);
}

std::int64_t Averaging::count(std::int64_t done) const {
  return swa_ ? swa_->when.count(done) - swa_->when.count(origin_) : 0;
}

bool Averaging::takes_epoch(std::int64_t done) const { return count(done + 1) != count(done); }

void Averaging::take_epoch(const nn::Parameters& weights, std::int64_t done) {
  next_ = average_.clone();
  next_->add(weights, count(done));
}

void Averaging::keep_epoch() {
  if (next_) average_ = std::move(*next_);
  next_.reset();
}

Average* Averaging::in_use(std::int64_t done) {
  if (next_) return &*next_;
  const bool is_averaged = ema_ || (swa_ && count(done) > 0);
  return is_averaged ? &average_ : nullptr;
}

void Averaging::restore(const Average& average, const nn::Parameters& host, at::Device device) {
  next_.reset();
  if (!average_.is_defined()) return;
  average_ = (average.is_defined() ? average : Average(host, swa_.has_value())).on(device);
}

}  // namespace dlrun::train
