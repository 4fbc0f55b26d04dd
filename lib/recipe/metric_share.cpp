// SPDX-License-Identifier: Apache-2.0
#include "recipe/metric_share.hpp"

#include <algorithm>
#include <string_view>

#include "plugin/taken.hpp"
#include "recipe/metric_kinds.hpp"

namespace dlrun::recipe {

bool is_share(const std::string& metric) {
  const std::string name = metric.substr(metric.rfind('.') + 1);
  constexpr std::string_view kShares[] = {"accuracy", "top_", "balanced_accuracy", "precision", "recall", "f1"};
  return plugin::is_built_in(plugin::Kind::metric, name) &&
         std::any_of(std::begin(kShares), std::end(kShares), [&](auto share) { return name.starts_with(share); });
}

bool is_of_hits(const std::string& metric) { return is_share(metric) && by_example(metric) == ByExample::own; }

}  // namespace dlrun::recipe
