// SPDX-License-Identifier: Apache-2.0
// When the weights are averaged: after every step (ema), or after some epochs (swa).
#pragma once
#include <cstdint>
#include <optional>

#include "recipe/averaging.hpp"
#include "train/average.hpp"

namespace dlrun::train {

/// The average that a training measures in place of its weights, if it has one.
/// An epoch that swa averages enters in two halves, because the new average is measured before the epoch is closed:
/// take_epoch() makes it, keep_epoch() puts it in the old one's place.
class Averaging {
 public:
  /// @param weights  where the optimiser works; the average lies on their device
  /// @param origin   epochs that counted as done before the first; swa averages none of them
  Averaging(std::optional<double> ema, std::optional<recipe::SwaConfig> swa, const nn::Parameters& weights,
            std::int64_t origin = 0);

  /// A step was taken. @param number  of the optimiser's steps, from 1: the first one is copied
  void follow(const nn::Parameters& weights, std::int64_t number);
  /// The weights were set: ema begins again with them.
  void begin(const nn::Parameters& weights);

  /// Whether the weights after `done` epochs and one more are averaged.
  bool takes_epoch(std::int64_t done) const;
  void take_epoch(const nn::Parameters& weights, std::int64_t done);
  void keep_epoch();
  /// Forgets an epoch that was taken and not kept.
  void drop_epoch() { next_.reset(); }

  /// The average that is measured in place of the weights, once `done` epochs are done; nullptr: they are.
  Average* in_use(std::int64_t done);
  /// Epochs that are done before a checkpoint has an average.
  std::int64_t begins_at() const { return swa_ ? swa_->when.first_after(origin_) : 0; }

  /// On the CPU; on a device that is the CPU, the very numbers.
  Average on_cpu() const { return average_.on(at::kCPU); }
  /// Takes an average over, without the epoch that was taken. @param average  on the CPU; undefined: begins with
  /// `host`    @param host  weights on the CPU    @param device  where the average is to lie
  void restore(const Average& average, const nn::Parameters& host, at::Device device);

 private:
  /// Weights that swa has averaged once `done` epochs are done.
  std::int64_t count(std::int64_t done) const;

  std::optional<double> ema_;  ///< decay
  std::optional<recipe::SwaConfig> swa_;
  std::int64_t origin_;
  Average average_;
  std::optional<Average> next_;  ///< swa: with the weights of the epoch that is being closed
};

}  // namespace dlrun::train
