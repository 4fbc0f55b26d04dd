// SPDX-License-Identifier: Apache-2.0
// Loss, metrics and predictions of a model that is not changed by them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "data/data.hpp"
#include "dataset/fresh.hpp"
#include "train/heads.hpp"
#include "train/network.hpp"

namespace dlrun::train {

/// Evaluates examples part by part, in their order. While this lives the network has the measured weights.
class Evaluation {
 public:
  /// @param network, heads  lent
  /// @param average         measured in place of the weights; nullptr: they are
  Evaluation(Network& network, Heads& heads, Average* average)
      : network_(network), heads_(heads), exchanged_(network, average) {}

  /// Adds examples to the sums. `tick` is called after every part and may throw.
  /// All calls but the last have a multiple of dataset::kFreshRows examples.
  template <class Tick>
  void add_to(SplitSums& sums, const data::Measured& examples, Tick&& tick) {
    for (std::int64_t begin = 0; begin < examples.size(); begin += kAtOnce) {
      add_part(sums, part_of(examples, begin));
      tick();
    }
  }

  /// Calls `visit` with the sums of each example by itself, `tick` after every part.
  /// @param fresh  sums of no example
  template <class Visit, class Tick>
  void each(const SplitSums& fresh, const data::Measured& examples, Visit&& visit, Tick&& tick) {
    for (std::int64_t begin = 0; begin < examples.size(); begin += kAtOnce) {
      for (const SplitSums& example : each_of(fresh, part_of(examples, begin))) visit(example);
      tick();
    }
  }

  /// Calls `visit` with the predictions of each part (Heads::predictions).
  template <class Visit>
  void predict(const data::Measured& examples, Visit&& visit) {
    for (std::int64_t begin = 0; begin < examples.size(); begin += kAtOnce)
      visit(heads_.predictions(network_.evaluate(part_of(examples, begin))));
  }

 private:
  static constexpr std::int64_t kAtOnce = dataset::kFreshRows;  // examples; part of the bits

  static data::Examples part_of(const data::Measured& examples, std::int64_t begin) {
    return examples.part(begin, std::min(kAtOnce, examples.size() - begin));
  }
  void add_part(SplitSums& sums, const data::Examples& part);
  std::vector<SplitSums> each_of(const SplitSums& fresh, const data::Examples& part);

  Network& network_;
  Heads& heads_;
  Exchanged exchanged_;
};

}  // namespace dlrun::train
