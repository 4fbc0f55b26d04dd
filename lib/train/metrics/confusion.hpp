// SPDX-License-Identifier: Apache-2.0
// How often each class occurs, is foretold, and both: enough for every metric that compares two labellings.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::train {

/// Definitions as in scikit-learn, zero_division 0: precision of a class that is never foretold and recall of one that
/// never occurs are 0. Means "macro" go over the classes that occur or are foretold, balanced_accuracy over those that
/// occur.
class Confusion {
 public:
  Confusion() = default;
  explicit Confusion(std::int64_t classes);

  void add_example(std::int64_t foretold, std::int64_t label);
  /// An example for which nothing is foretold.
  void add_missed(std::int64_t label) { ++occurring_[std::size_t(label)]; }
  /// Takes in another's examples, of as many classes, so many times; -1 takes them out again.
  void add(const Confusion& other, double times = 1);
  std::optional<double> value(const std::string& name) const;

  Json to_json() const { return {both_, foretold_, occurring_}; }
  void restore(const Json& json);

 private:
  double precision(std::size_t c) const;
  double recall(std::size_t c) const;
  double f1(std::size_t c) const;
  double of_class(const std::string& measure, std::size_t c) const;
  double macro(const std::string& measure) const;
  double weighted(const std::string& measure) const;
  double balanced_accuracy() const;
  double kappa() const;
  double mcc() const;
  double total() const;
  double agreed() const;

  std::vector<double> both_, foretold_, occurring_;  ///< by class
};

}  // namespace dlrun::train
