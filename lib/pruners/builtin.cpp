// SPDX-License-Identifier: Apache-2.0
// Pruners made from their settings: one visible list.
#include <fmt/format.h>

#include "pruners/asha_pruner.hpp"
#include "pruners/asha_stopping_pruner.hpp"
#include "pruners/front_asha_pruner.hpp"
#include "pruners/front_stopping_pruner.hpp"
#include "pruners/halving_pruner.hpp"
#include "pruners/ladder.hpp"
#include "pruners/none_pruner.hpp"
#include "pruners/pasha_pruner.hpp"
#include "pruners/patience_pruner.hpp"
#include "pruners/pbt_pruner.hpp"
#include "pruners/percentile_pruner.hpp"
#include "pruners/stopping_pruner.hpp"
#include "pruners/threshold_pruner.hpp"
#include "pruners/wilcoxon_pruner.hpp"
#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

std::unique_ptr<Pruner> make(const None&, const StudyFacts&) { return std::make_unique<NonePruner>(); }

std::unique_ptr<Pruner> make(const Asha& own, const StudyFacts& study) {
  if (study.by_score && own.stops) return std::make_unique<FrontStoppingPruner>(own.ladder, study.maximize);
  if (study.by_score) return std::make_unique<FrontAshaPruner>(own.ladder);
  if (own.stops) return std::make_unique<AshaStoppingPruner>(own.ladder, study.maximize);
  return std::make_unique<AshaPruner>(own.ladder);
}

std::unique_ptr<Pruner> make(const Pasha& own, const StudyFacts&) { return std::make_unique<PashaPruner>(own); }

std::unique_ptr<Pruner> make(const SuccessiveHalving& own, const StudyFacts&) {
  return std::make_unique<HalvingPruner>(own);
}

std::unique_ptr<Pruner> make(const Hyperband& own, const StudyFacts&) {
  return std::make_unique<HalvingPruner>(own.ladder, Hyperband::kName);
}

std::unique_ptr<Pruner> make(const Bohb& own, const StudyFacts&) {
  return std::make_unique<HalvingPruner>(own.ladder, Bohb::kName);
}

std::unique_ptr<Pruner> make(const Median& own, const StudyFacts& study) {
  return std::make_unique<PercentilePruner>(own, study.maximize);
}

std::unique_ptr<Pruner> make(const MedianOfAverages& own, const StudyFacts& study) {
  return std::make_unique<PercentilePruner>(own, study.maximize);
}

std::unique_ptr<Pruner> make(const Percentile& own, const StudyFacts& study) {
  return std::make_unique<PercentilePruner>(own, study.maximize);
}

std::unique_ptr<Pruner> make(const Threshold& own, const StudyFacts& study) {
  return std::make_unique<ThresholdPruner>(own, study.maximize);
}

std::unique_ptr<Pruner> make(const Patience& own, const StudyFacts& study) {
  return std::make_unique<PatiencePruner>(own, study.maximize);
}

std::unique_ptr<Pruner> make(const Pbt& own, const StudyFacts& study) {
  return std::make_unique<PbtPruner>(own.population, own.ladder, study.seed, Pbt::kName);
}

std::unique_ptr<Pruner> make(const Pb2& own, const StudyFacts& study) {
  return std::make_unique<PbtPruner>(own.population, own.ladder, study.seed, Pb2::kName);
}

std::unique_ptr<Pruner> make(const Wilcoxon& own, const StudyFacts& study) {
  return std::make_unique<WilcoxonPruner>(own, study);
}

/// Rungs of a rule that is not here.
class Rungs final : public StoppingPruner {
 public:
  Rungs(const Foreign& own, bool maximize)
      : StoppingPruner(even_rungs(own.ladder, own.name.c_str()), maximize), name_(own.name) {}

 private:
  Verdict judge(trial::TrialId, int, double) override {
    throw Error(ErrorKind::usage, fmt::format("the rule '{}' is not here to judge trials", name_));
  }

  std::string name_;
};

std::unique_ptr<Pruner> make(const Foreign& own, const StudyFacts& study) {
  return std::make_unique<Rungs>(own, study.maximize);
}

struct Named {
  const char* name;
  Skills skills;
};

template <class... Kinds>
std::vector<Named> kinds_of(const std::variant<Kinds...>*) {
  return {{Kinds::kName, Kinds::kSkills}...};
}

/// Names of all kinds that pass.
template <class Passes>
std::vector<std::string> names_where(Passes passes) {
  std::vector<std::string> names;
  for (const Named& kind : kinds_of(static_cast<const PrunerKind*>(nullptr))) {
    if (*kind.name != '\0' && passes(kind.skills)) names.emplace_back(kind.name);
  }
  return names;
}

}  // namespace

void NonePruner::claim(trial::TrialId trial, int) {
  throw Error(ErrorKind::store, fmt::format("trial {} never pauses", trial.value));
}

std::unique_ptr<Pruner> make_pruner(const PrunerOptions& options) {
  return std::visit([&](const auto& own) { return make(own, options.study); }, options.kind);
}

void set_max_budget(PrunerKind& kind, std::int64_t epochs) {
  std::visit(
      [&](auto& own) {
        if constexpr (requires { own.ladder; }) own.ladder.max_budget = epochs;
      },
      kind);
}

std::vector<std::string> pruner_names() {
  return names_where([](const Skills&) { return true; });
}

std::vector<std::string> pruner_names_for_several() {
  return names_where([](const Skills& skills) { return skills.several; });
}

std::vector<std::string> pruner_names_for_bounds() {
  return names_where([](const Skills& skills) { return skills.bounds; });
}

}  // namespace dlrun::pruners
