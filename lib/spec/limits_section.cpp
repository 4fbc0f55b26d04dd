// SPDX-License-Identifier: Apache-2.0
// The end of a search: limits that were not written, and those that leave nothing to do.
#include <fmt/format.h>

#include <numeric>

#include "spec/search_section.hpp"
#include "spec/space_section.hpp"

namespace dlrun::spec {

namespace {

constexpr int kTrialsByDefault = 32;

/// One pass over the brackets, where the pruner has some.
std::int64_t trials_by_default(const Json& study, const Faults& faults) {
  const std::vector<std::int64_t> brackets = brackets_of(study["search"]["pruner"], faults);
  if (brackets.empty()) return kTrialsByDefault;
  return std::accumulate(brackets.begin(), brackets.end(), std::int64_t(0));
}

/// Without a pruner a trial is begun if all of its epochs fit into the limit.
void check_epochs(const Json& study, Faults& faults) {
  const Json& trial = study["trial"];
  const Json limit = study["limits"]["epochs"], epochs = trial.value("epochs", Json());
  const Json pruner = study["search"].value("pruner", Json());
  const bool is_pruned = !pruner.is_object() || pruner.value("op", Json()) != "none";
  if (is_pruned || !limit.is_number() || !epochs.is_number_integer() || is_set(study["space"], "epochs")) return;
  const auto members = [&](const char* key) {
    return trial.value(key, Json()).is_number() ? trial[key].get<double>() : 1;
  };
  const double whole = epochs.get<double>() * members("replicates") * members("folds");
  if (whole <= limit.get<double>()) return;
  faults.warn("limits.epochs",
              fmt::format("a trial has {} epochs, so that the search ends before its first one", whole),
              fmt::format("at least {}", whole));
}

}  // namespace

void fill_limits(Json& study, Faults& faults) {
  Json& limits = study["limits"];
  const bool is_grid = study["search"]["sampler"] == "grid";
  const bool has_end = !limits["trials"].is_null() || !limits["epochs"].is_null() || !limits["target"].is_null() ||
                       !limits["stall"].is_null() || limits.contains("expected_improvement");
  if (!has_end && !is_grid) limits["trials"] = trials_by_default(study, faults);
  check_epochs(study, faults);
  if (limits["stall"].is_number() && limits["trials"].is_number() && limits["stall"] >= limits["trials"]) {
    faults.warn("limits.stall", fmt::format("{} trials in a row are not to be had of {}", to_text(limits["stall"]),
                                            to_text(limits["trials"])));
  }
  if (!is_grid || !limits["trials"].is_number() || faults.list.has_errors()) return;
  const auto points = make_space(study["space"], study.value("constraints", Json())).cardinality();
  if (points && *points > limits["trials"].get<std::int64_t>()) {
    faults.warn("limits.trials",
                fmt::format("the grid has {} points, of which {} are tried", *points, to_text(limits["trials"])));
  }
}

}  // namespace dlrun::spec
