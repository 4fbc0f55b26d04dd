// SPDX-License-Identifier: Apache-2.0
#include "spec/rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "spec/trial_section.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

using study::Tick;

namespace {

constexpr Tick kPlainEpoch = 1000;

/// round(examples x operations / (base x ranks)), in 128 bits.
Tick ticks(std::int64_t examples, std::int64_t operations, std::int64_t base, std::int64_t ranks) {
  __extension__ using Wide = unsigned __int128;
  const Wide divisor = Wide(std::max<std::int64_t>(base, 1)) * Wide(ranks);
  const Wide product = Wide(std::max<std::int64_t>(examples, 1)) * Wide(std::max<std::int64_t>(operations, 1));
  return std::max<Tick>(1, Tick((product + divisor / 2) / divisor));
}

/// Ranks that train one model; 1: one machine alone.
std::int64_t ranks_of(const Json& trial) {
  const Json gang = trial.value("parallel", Json());
  return gang.is_null() ? 1 : std::max<std::int64_t>(1, gang.value("ranks", std::int64_t(1)));
}

/// Ticks of an epoch by the values that change the model or the ranks.
class EpochCosts {
 public:
  EpochCosts(Json trial, const dataset::Schema& schema, std::int64_t base)
      : trial_(std::move(trial)), interface_(interface_of(schema, trial_)), examples_(schema.train), base_(base) {}

  Tick epoch(const Json& sets) {
    const auto [place, is_new] = known_.try_emplace(to_text(sets), 0);
    if (is_new) place->second = cost(sets);
    return place->second;
  }

 private:
  /// A trial that does not build fails; on the clock it stands for the base trial.
  Tick cost(const Json& sets) const {
    try {
      const Json trial = trial::configured(trial_, sets);
      return ticks(examples_, model::build(trial["model"], interface_).operations(), base_, ranks_of(trial));
    } catch (const Error&) {
      return ticks(examples_, base_, base_, ranks_of(trial_));
    }
  }

  Json trial_;
  model::Interface interface_;
  std::int64_t examples_;
  std::int64_t base_;
  std::map<std::string, Tick> known_;
};

bool is_of_cost(const std::string& place) {
  return place == "model" || place.starts_with("model.") || place == "parallel" || place == "parallel.ranks";
}

/// The part of `sets` that changes the model or the ranks.
Json cost_sets(Json sets) {
  for (auto it = sets.begin(); it != sets.end();) it = is_of_cost(it.key()) ? std::next(it) : sets.erase(it);
  return sets;
}

bool changes_cost(const space::Parameter& parameter) {
  return is_of_cost(parameter.at) || std::any_of(parameter.edits.begin(), parameter.edits.end(),
                                                 [](const Json& edits) { return !cost_sets(edits).empty(); });
}

}  // namespace

Tick base_epoch(const StudySpec& spec) {
  if (!spec.data || !spec.base_model) return kPlainEpoch;
  const std::int64_t operations = spec.base_model->operations();
  return ticks(spec.data->train, operations, operations, ranks_of(spec.json.at("trial")));
}

std::function<Tick(const space::Values&, std::int64_t, std::int64_t)> make_cost(const StudySpec& spec) {
  if (!spec.data || !spec.base_model) {
    return [](const space::Values&, std::int64_t from, std::int64_t to) { return (to - from) * kPlainEpoch; };
  }
  const bool is_fixed = std::none_of(spec.space.parameters().begin(), spec.space.parameters().end(), changes_cost);
  if (is_fixed) {
    return [epoch = base_epoch(spec)](const space::Values&, std::int64_t from, std::int64_t to) {
      return (to - from) * epoch;
    };
  }
  const Json& trial = spec.json.at("trial");
  auto costs = std::make_shared<EpochCosts>(Json{{"model", trial.at("model")},
                                                 {"loss", trial.value("loss", Json())},
                                                 {"parallel", trial.value("parallel", Json())}},
                                            *spec.data, spec.base_model->operations());
  return [costs, space = spec.space](const space::Values& values, std::int64_t from, std::int64_t to) {
    return (to - from) * costs->epoch(cost_sets(space.sets(values)));
  };
}

Tick slack_ticks(double slack, const std::vector<std::int64_t>& rungs, const std::vector<double>& shares, Tick epoch) {
  if (shares.empty()) return Tick(std::llround(slack * double(rungs.back() * epoch) / double(rungs.size())));
  double mean = 0;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    mean += double((rungs[i] - before) * epoch) * shares[i];
    before = rungs[i];
  }
  return Tick(std::llround(slack * mean));
}

}  // namespace dlrun::spec
