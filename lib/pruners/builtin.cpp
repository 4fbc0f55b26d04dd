// SPDX-License-Identifier: Apache-2.0
// The pruners there are: one visible list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "pruners/asha_pruner.hpp"
#include "pruners/asha_stopping_pruner.hpp"
#include "pruners/front_asha_pruner.hpp"
#include "pruners/front_stopping_pruner.hpp"
#include "pruners/halving_pruner.hpp"
#include "pruners/none_pruner.hpp"
#include "pruners/pasha_pruner.hpp"
#include "pruners/patience_pruner.hpp"
#include "pruners/pbt_pruner.hpp"
#include "pruners/percentile_pruner.hpp"
#include "pruners/threshold_pruner.hpp"
#include "pruners/wilcoxon_pruner.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

struct Entry {
  const char* name;
  bool knows_several;  ///< objectives
  bool knows_bounds;   ///< or compares no trials
  std::unique_ptr<Pruner> (*make)(const PrunerOptions& options);
};

template <class Kind>
std::unique_ptr<Pruner> make(const PrunerOptions& options) {
  return std::make_unique<Kind>(options);
}

std::unique_ptr<Pruner> make_asha(const PrunerOptions& options) {
  if (options.by_score) return options.stops ? make<FrontStoppingPruner>(options) : make<FrontAshaPruner>(options);
  return options.stops ? make<AshaStoppingPruner>(options) : make<AshaPruner>(options);
}

const std::array kBuiltin{
    Entry{"none", true, true,
          [](const PrunerOptions&) -> std::unique_ptr<Pruner> { return std::make_unique<NonePruner>(); }},
    Entry{"asha", true, true, make_asha},
    Entry{"pasha", false, false, make<PashaPruner>},
    Entry{"successive_halving", false, true, make<HalvingPruner>},
    Entry{"hyperband", false, true, make<HalvingPruner>},
    Entry{"bohb", false, true, make<HalvingPruner>},
    Entry{"median", false, false, make<PercentilePruner>},
    Entry{"percentile", false, false, make<PercentilePruner>},
    Entry{"threshold", false, true, make<ThresholdPruner>},
    Entry{"patience", false, true, make<PatiencePruner>},
    Entry{"pbt", false, true, make<PbtPruner>},
    Entry{"pb2", false, true, make<PbtPruner>},
    Entry{"wilcoxon", false, false, make<WilcoxonPruner>},
};

}  // namespace

void NonePruner::claim(trial::TrialId trial, int) {
  throw Error(ErrorKind::store, fmt::format("trial {} never pauses", trial.value));
}

std::unique_ptr<Pruner> make_pruner(const PrunerOptions& options) {
  for (const Entry& entry : kBuiltin) {
    if (options.op == entry.name) return entry.make(options);
  }
  const std::string nearest = nearest_name(options.op, pruner_names());
  throw Error(ErrorKind::usage, fmt::format("there is no pruner '{}'", options.op),
              nearest.empty() ? fmt::format("pruners are {}", fmt::join(pruner_names(), ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

std::vector<std::string> pruner_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> pruner_names_for_several() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) {
    if (entry.knows_several) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> pruner_names_for_bounds() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) {
    if (entry.knows_bounds) names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace dlrun::pruners
