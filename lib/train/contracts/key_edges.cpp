// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/key_edges.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dlrun::train::contracts {

std::vector<KeyEdge> key_edges(const Tested& tested) {
  std::vector<KeyEdge> edges;
  for (const options::Key& key : tested.plugin.manifest->keys) {
    const Json present = tested.section.value(key.name, Json());
    if (key.form != options::Form::real || !present.is_number()) continue;
    const double here = present.get<double>();
    const auto add = [&](double value) {
      edges.push_back({fmt::format("{} {:g}", key.name, value), tested.section});
      edges.back().section[key.name] = value;
    };
    const auto add_both = [&](double bound, bool is_outside) {
      if (!std::isfinite(bound) || bound == here) return;
      if (!is_outside) add(bound);
      add(bound + (here - bound) / 4);
    };
    add_both(key.low, key.is_above);
    add_both(key.high, key.is_below);
  }
  return edges;
}

}  // namespace dlrun::train::contracts
