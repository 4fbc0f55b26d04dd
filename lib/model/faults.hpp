// SPDX-License-Identifier: Apache-2.0
// The faults of one model: all of them where the caller collects, else the first one ends the build.
#pragma once
#include <string>
#include <vector>

#include "model/graph.hpp"

namespace dlrun::model {

class Faults {
 public:
  /// @param sink where faults go; null: the first one is thrown.
  explicit Faults(std::vector<ModelError>* sink) : sink_(sink) {}

  /// Adds a fault, unless the same one is there already: a repeated body has its faults once.
  void add(ModelError fault);
  /// Adds a fault, unless there is one at its place or inside of it: what comes later may follow from it, and a
  /// repeated body says it once.
  void add_first(ModelError fault);
  /// Is there a fault at this place or inside of it?
  bool has(const std::string& path) const;
  bool any() const { return sink_ != nullptr && !sink_->empty(); }

 private:
  std::vector<ModelError>* sink_;
};

}  // namespace dlrun::model
