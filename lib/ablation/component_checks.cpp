// SPDX-License-Identifier: Apache-2.0
#include "ablation/component_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "ablation/refused.hpp"
#include "recipe/loss_units.hpp"
#include "util/utf8.hpp"

namespace dlrun::ablation {

namespace {

const char* const kSwapLayers = "swap of layers";

/// A key and the kinds of component that it is for.
struct Option {
  const char* key;
  std::vector<std::string> kinds;
};

const std::vector<Option>& options() {
  static const std::vector<Option> all{
      {"how", {"drop_feature", "drop_channel"}},
      {"as", {"drop", "drop_feature", "drop_channel", kSwapLayers}},
      {"to", {kSwapLayers, "swap of a section", "swap of the optimizer", "swap_argument"}},
      {"on_shape", {"drop", "drop_branch", "drop_between", "drop_edge", kSwapLayers}},
      {"allow_head", {"drop"}},
      {"inherit", {"swap of the optimizer"}},
  };
  return all;
}

/// A swap is of layers, of the optimizer, whose settings may be kept, or of another section of the trial.
std::string kind_in_words(const Unit& unit) {
  if (unit.kind() != "swap") return unit.kind();
  const Json& what = unit.component.what;
  if (!what.is_string()) return kSwapLayers;
  return what == "optimizer" ? "swap of the optimizer" : "swap of a section";
}

constexpr std::int64_t kLongestRationale = 300;

void check_rationale(const Unit& unit, Faults& faults) {
  const std::string text = unit.component.rationale.value_or("");
  const std::int64_t length = std::count_if(text.begin(), text.end(), std::not_fn(continues_character));
  if (length <= kLongestRationale) return;
  faults.at(join(unit.path, "rationale"),
            fmt::format("a rationale has at most {} characters, not {}", kLongestRationale, length));
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
  check_rationale(unit, faults);
  const bool projects = unit.component.on_shape == "project";
  if (projects && unit.kind() != "drop" && unit.kind() != "drop_between")
    faults.at(join(unit.path, "on_shape"), fmt::format("there is nothing to project where {} keeps its shape", kind),
              "it belongs to drop and drop_between; write reinfer or identity_only");
}

std::string objective_metric(const Json& study) {
  const Json& objective = study.at("objective");
  return (objective.is_array() ? objective.at(0) : objective).at("metric").get<std::string>();
}

std::string objective_direction(const Json& study, const std::string& metric) {
  const Json& objective = study.at("objective");
  for (const Json& one : objective.is_array() ? objective : Json::array({objective})) {
    if (one.at("metric") == metric) return one.value("direction", "");
  }
  return {};
}

void check_kinds(const std::vector<Unit>& units, const Json& kind, Faults& faults) {
  for (const Unit& unit : units) {
    if (unit.sets.value("kind", kind) == kind) continue;
    const Refused fault("E211", fmt::format("'{}' makes trials of another kind than the baseline's", unit.id),
                        "all variants are of one kind; compare two studies instead");
    faults.refuse(unit.path, fault.code(), fault);
  }
}

void check_loss(const std::vector<Unit>& units, const std::string& metric, const Json& trial, Faults& faults) {
  for (const Unit& unit : units) {
    const bool sets_loss = std::any_of(unit.sets.items().begin(), unit.sets.items().end(), [&](const auto& item) {
      return recipe::changes_units(metric, item.key(), trial);
    });
    if (!sets_loss) continue;
    const Refused fault("E240",
                        fmt::format("'{}' changes the loss, so variants cannot be compared by {}", unit.id, metric),
                        "name another metric in ablation.analysis");
    faults.refuse(unit.path, fault.code(), fault);
  }
}

}  // namespace dlrun::ablation
