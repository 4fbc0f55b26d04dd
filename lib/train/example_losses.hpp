// SPDX-License-Identifier: Apache-2.0
// Losses of single examples over some epochs, and the importance that follows from them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "util/json.hpp"

namespace dlrun::train {

/// Running mean and sum of squared differences (Welford 1962) in float32, which a checkpoint holds bit by bit.
class ExampleLosses {
 public:
  ExampleLosses() = default;
  explicit ExampleLosses(std::int64_t examples);

  /// Takes a loss of the epoch under way. A repeated example counts with its last one.
  void note(std::int64_t example, float loss) { fresh_[std::size_t(example)] = loss; }
  /// The epoch's losses, [[example, …], [loss, …]].
  Json noted() const;
  void note_all(const Json& noted);

  /// Takes the epoch's losses into the sums.
  /// @param is_last  in place of those before
  void end_epoch(bool is_last);
  /// Empties the sums.
  void begin_window();

  /// Mean or last loss, or the unbiased variance; of a single epoch the variance is the mean. An example of which too
  /// little is known has the mean of the others.
  std::vector<float> importance(const std::string& aggregate) const;

  std::vector<std::pair<std::string, std::span<float>>> tensors();

 private:
  std::vector<float> fresh_;  ///< NaN: none
  std::vector<float> count_, mean_, squares_;
};

}  // namespace dlrun::train
