// SPDX-License-Identifier: Apache-2.0
// Labels among the greatest outputs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "util/json.hpp"

namespace dlrun::train {

/// The class of the greatest output, the first of equals; of a single logit: whether it is above 0.
std::int64_t predicted(const float* row, std::int64_t width);

/// Is an output NaN, so that nothing is foretold?
bool has_nan(const float* row, std::int64_t width);

class Hits {
 public:
  /// How far down metrics look: accuracy is top 1.
  static constexpr std::array<std::int64_t, 5> kDepths = {1, 2, 3, 5, 10};

  void add_example(const float* row, std::int64_t width, std::int64_t label);
  /// Takes in another's examples so many times; -1 takes them out again.
  void add(const Hits& other, double times = 1);
  /// Labels so far.
  double count() const { return count_; }
  /// accuracy, top_2 …; nothing for another name.
  std::optional<double> value(const std::string& name) const;

  Json to_json() const { return {count_, hits_}; }
  void restore(const Json& json);

 private:
  double count_ = 0;
  std::array<double, kDepths.size()> hits_{};
};

}  // namespace dlrun::train
