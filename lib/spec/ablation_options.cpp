// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dlrun::spec {

namespace {

const char* const kSwapLayers = "swap of layers";

/// A key, and what it says something of.
struct Option {
  const char* key;
  std::vector<std::string> kinds;
};

const std::vector<Option>& options() {
  static const std::vector<Option> all{
      {"how", {"drop_feature", "drop_channel"}},
      {"as", {"drop", "drop_feature", "drop_channel", kSwapLayers}},
      {"to", {kSwapLayers, "swap of a section", "swap of the optimizer"}},
      {"on_shape", {"drop", "drop_branch", "drop_between", "drop_edge", kSwapLayers}},
      {"allow_head", {"drop"}},
      {"inherit", {"swap of the optimizer"}},
  };
  return all;
}

/// A swap is of layers, of the optimizer, whose settings may be kept, or of another section of the trial.
std::string kind_in_words(const Unit& unit) {
  if (unit.kind != "swap") return unit.kind;
  const Json& what = unit.written.at("swap");
  if (!what.is_string()) return kSwapLayers;
  return what == "optimizer" ? "swap of the optimizer" : "swap of a section";
}

}  // namespace

void check_component_keys(const Unit& unit, Faults& faults) {
  const std::string kind = kind_in_words(unit);
  for (const Option& option : options()) {
    const std::string at = join(unit.path, option.key);
    const auto& kinds = option.kinds;
    if (!faults.was_written(at) || std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    faults.at_key(at, fmt::format("'{}' says nothing of {}", option.key, kind),
                  fmt::format("it belongs to {}; remove it", fmt::join(kinds, ", ")));
  }
  const bool projects = unit.written.value("on_shape", Json()) == "project";
  if (projects && unit.kind != "drop" && unit.kind != "drop_between")
    faults.at(join(unit.path, "on_shape"), fmt::format("there is nothing to project where {} keeps its shape", kind),
              "it belongs to drop and drop_between; write reinfer or identity_only");
}

}  // namespace dlrun::spec
