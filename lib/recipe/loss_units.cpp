// SPDX-License-Identifier: Apache-2.0
#include "recipe/loss_units.hpp"

#include <algorithm>

#include "recipe/outputs.hpp"

namespace dlrun::recipe {

namespace {

/// "b.c" of "a.b.c"; empty: there is no point.
std::string after_point(const std::string& name) {
  const std::size_t point = name.find('.');
  return point == std::string::npos ? "" : name.substr(point + 1);
}

std::string before_point(const std::string& name) { return name.substr(0, name.find('.')); }

bool is_auxiliary(const std::string& output, const Json& trial) {
  const std::vector<OutputSection> all = outputs_of(trial);
  return std::any_of(all.begin(), all.end(),
                     [&](const OutputSection& one) { return one.name == output && one.is_auxiliary; });
}

}  // namespace

bool changes_units(const std::string& metric, const std::string& place, const Json& trial) {
  const bool is_loss = metric == "loss" || metric.ends_with(".loss");
  if (!is_loss || before_point(place) != "loss") return false;
  const std::string key = after_point(place), measured = after_point(metric);
  if (key.empty() || !has_outputs(trial)) return true;
  const std::string output = before_point(key);
  if (measured == "loss") return before_point(metric) == "train" || !is_auxiliary(output, trial);
  return measured == output + ".loss" && after_point(key) != "weight";
}

}  // namespace dlrun::recipe
