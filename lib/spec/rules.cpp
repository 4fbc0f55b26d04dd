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

/// round(examples x operations / base), in 128 bits.
Tick ticks(std::int64_t examples, std::int64_t operations, std::int64_t base) {
  __extension__ using Wide = unsigned __int128;
  const Wide divisor = Wide(std::max<std::int64_t>(base, 1));
  const Wide product = Wide(std::max<std::int64_t>(examples, 1)) * Wide(std::max<std::int64_t>(operations, 1));
  return std::max<Tick>(1, Tick((product + divisor / 2) / divisor));
}

/// Operation counts by the values that change the model.
class ModelCosts {
 public:
  ModelCosts(Json trial, const dataset::Schema& schema, std::int64_t base)
      : trial_(std::move(trial)), interface_(interface_of(schema, trial_)), examples_(schema.train), base_(base) {}

  Tick epoch(const Json& sets) {
    const auto [place, is_new] = known_.try_emplace(to_text(sets), 0);
    if (is_new) place->second = ticks(examples_, operations(sets), base_);
    return place->second;
  }

 private:
  /// A model that does not build fails as a trial; on the clock it stands for the base model.
  std::int64_t operations(const Json& sets) const {
    try {
      return model::build(trial::configured(trial_, sets)["model"], interface_).operations();
    } catch (const Error&) {
      return base_;
    }
  }

  Json trial_;
  model::Interface interface_;
  std::int64_t examples_;
  std::int64_t base_;
  std::map<std::string, Tick> known_;
};

bool is_of_model(const std::string& place) { return place == "model" || place.starts_with("model."); }

/// The part of `sets` that changes the model.
Json model_sets(Json sets) {
  for (auto it = sets.begin(); it != sets.end();) it = is_of_model(it.key()) ? std::next(it) : sets.erase(it);
  return sets;
}

bool changes_model(const space::Parameter& parameter) {
  return is_of_model(parameter.at) || std::any_of(parameter.edits.begin(), parameter.edits.end(),
                                                  [](const Json& edits) { return !model_sets(edits).empty(); });
}

}  // namespace

Tick base_epoch(const StudySpec& spec) {
  if (!spec.data || !spec.base_model) return kPlainEpoch;
  const std::int64_t operations = spec.base_model->operations();
  return ticks(spec.data->train, operations, operations);
}

std::function<Tick(const space::Values&, std::int64_t, std::int64_t)> make_cost(const StudySpec& spec) {
  if (!spec.data || !spec.base_model) {
    return [](const space::Values&, std::int64_t from, std::int64_t to) { return (to - from) * kPlainEpoch; };
  }
  const bool is_fixed = std::none_of(spec.space.parameters().begin(), spec.space.parameters().end(), changes_model);
  if (is_fixed) {
    return [epoch = base_epoch(spec)](const space::Values&, std::int64_t from, std::int64_t to) {
      return (to - from) * epoch;
    };
  }
  auto costs =
      std::make_shared<ModelCosts>(Json{{"model", spec.json["trial"]["model"]}, {"loss", spec.json["trial"]["loss"]}},
                                   *spec.data, spec.base_model->operations());
  return [costs, space = spec.space](const space::Values& values, std::int64_t from, std::int64_t to) {
    return (to - from) * costs->epoch(model_sets(space.sets(values)));
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
