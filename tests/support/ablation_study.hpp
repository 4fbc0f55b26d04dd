// SPDX-License-Identifier: Apache-2.0
// A store with an ablation study as its driver writes it: a trial for each variant in each replicate.
#pragma once
#include <functional>
#include <optional>

#include "support/sample_study.hpp"

namespace dlrun::support {

struct AblationPlan {
  std::string design = "loco";
  std::vector<std::vector<std::string>> off;  ///< components that are off in each variant after the baseline
  int replicates = 8;
  Json analysis = {{"rope", 0.02}};
  Json stopping;
  Json derived = Json::object();  ///< of the design
  bool maximize = true;
  Json majority;  ///< share of the most frequent class by split
  std::string kind = "train";
  Json components = Json::array();  ///< as written
  Json objectives;                  ///< null: that of a sample study
};

inline std::string id_of(const std::vector<std::string>& off) {
  std::string id;
  for (const std::string& component : off) id += (id.empty() ? "" : "+") + component;
  return id.empty() ? "baseline" : id;
}

inline Json variant_json(const std::vector<std::string>& off) {
  return {{"id", id_of(off)},
          {"kind", off.empty() ? "baseline" : (off.size() == 1 ? "drop" : "several")},
          {"components", off},
          {"edits", Json::object()},
          {"parameters", 1000 - 100 * int(off.size())},
          {"operations", 5000 - 1000 * int(off.size())},
          {"notes", Json::array()}};
}

inline storage::StudyRow ablation_row(const AblationPlan& plan) {
  storage::StudyRow row = sample_row("parts");
  row.spec["objective"]["direction"] = plan.maximize ? "maximize" : "minimize";
  if (!plan.objectives.is_null()) row.spec["objective"] = plan.objectives;
  Json variants = Json::array({variant_json({})});
  for (const auto& off : plan.off) variants.push_back(variant_json(off));
  row.spec["derived"] = {{"ablation", {{"variants", variants}}},
                         {"data", {{"classes", 2}, {"val", 10000}, {"train", 100}, {"test", 50}}}};
  row.spec["derived"]["ablation"].update(plan.derived);
  row.spec["ablation"] = {{"design", plan.design},
                          {"replicates", {{"n", plan.replicates}}},
                          {"analysis", plan.analysis},
                          {"components", plan.components}};
  row.spec["trial"]["kind"] = plan.kind;
  if (!plan.majority.is_null()) row.spec["derived"]["ablation"]["majority"] = plan.majority;
  if (!plan.stopping.is_null()) row.spec["ablation"]["stopping"] = plan.stopping;
  return row;
}

/// @param metric  of (components that are off, replicate from 0); nullopt: the run failed
using Metric = std::function<std::optional<double>(const std::vector<std::string>&, int)>;

/// @param also  further keys of its section
inline std::unique_ptr<storage::Store> write_ablation(const std::filesystem::path& folder, const AblationPlan& plan,
                                                      const Metric& metric, const Json& also = Json::object()) {
  std::vector<std::vector<std::string>> variants = plan.off;
  variants.insert(variants.begin(), std::vector<std::string>());
  space::Parameter replicate{.name = "replicate", .type = space::Type::integer, .low = 1};
  replicate.high = plan.replicates;
  space::Parameter variant{.name = "variant", .type = space::Type::categorical};
  for (const auto& off : variants) variant.choices.push_back(id_of(off));
  storage::StudyRow row = ablation_row(plan);
  row.spec["ablation"].update(also);
  auto store = storage::Store::create(folder, row, space::Space({replicate, variant}));
  std::int64_t trial = 0;
  for (int r = 0; r < plan.replicates; ++r) {
    for (std::size_t v = 0; v < variants.size(); ++v, ++trial) {
      const auto value = metric(variants[v], r);
      write_trial(*store, trial, value.value_or(0), {std::int64_t(r + 1), space::Choice{std::uint32_t(v)}});
      if (value) continue;
      store->begin();
      store->change({trial::TrialId(trial), trial::TrialState::failed, {}, 0, trial::Cause::exception, "out of luck"});
      store->commit(storage::Durability::normal);
    }
  }
  return store;
}

}  // namespace dlrun::support
