// SPDX-License-Identifier: Apache-2.0
#include "guest/guest_sampler.hpp"

#include <fmt/format.h>

#include "guest/plain_values.hpp"
#include "guest/space_json.hpp"
#include "space/carry.hpp"
#include "util/utf8.hpp"

namespace dlrun::guest {

namespace {

Json result_json(const samplers::Observation& seen) {
  std::vector<double> objectives;
  if (seen.objective) objectives.push_back(*seen.objective);
  if (seen.objective) objectives.insert(objectives.end(), seen.further.begin(), seen.further.end());
  return {seen.trial.value, plain(seen.values), objectives, seen.steps, seen.is_whole, seen.violation()};
}

std::string value_text(const Json& value) {
  return value.is_number() ? fmt::format("{}", value.get<double>()) : "nothing";
}

Guest guest_of(const space::Space& space, const SamplerSetting& setting) {
  return {.kind = plugin::Kind::sampler,
          .name = setting.name,
          .options = setting.options,
          .setting = {{"space", space_to_json(space)}, {"seed", setting.seed}, {"objectives", setting.objectives}}};
}

}  // namespace

GuestSampler::GuestSampler(const space::Space& space, SamplerSetting setting, Limits limits)
    : untried_(space), setting_(std::move(setting)), process_(guest_of(space, setting_), std::move(limits)) {}

void GuestSampler::learn(const std::vector<samplers::Observation>& trials) {
  Json results = Json::array();
  for (const samplers::Observation& seen : trials) results.push_back(result_json(seen));
  process_.tell({{"learn", std::move(results)}});
}

void GuestSampler::on_start(trial::TrialId trial, const space::Values& values) {
  untried_.insert(values);
  process_.tell({{"on_start", {trial.value, plain(values)}}});
}

void GuestSampler::on_result(const samplers::Observation& seen) { process_.tell({{"on_result", result_json(seen)}}); }

std::optional<space::Values> GuestSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  const auto first = ask(number, 0);
  if (!first) return std::nullopt;
  int attempts = 0;
  RandomStream random(setting_.seed, {"plugin", name(), "moved", std::to_string(number)});
  std::string reason = reason_;
  const auto next = [&] {
    if (attempts++ == 0) return *first;
    const auto another = ask(number, attempts - 1);
    reason = reason_;
    return another ? *another : *first;
  };
  const space::Values values = untried_.pick(random, next, reason);
  reason_ = reason;
  return values;
}

std::optional<space::Values> GuestSampler::ask(std::int64_t number, int attempt) {
  Json answer = process_.call({{"call", "propose"}, {"number", number}, {"attempt", attempt}});
  if (!answer.is_object() || !answer.contains("values") || !answer.value("reason", Json()).is_string())
    process_.refuse("gave a damaged answer in propose");
  reason_ = answer["reason"].get<std::string>();
  if (!is_utf8(reason_)) process_.refuse("gave a reason that is no valid UTF-8 in propose");
  if (answer["values"].is_null()) return std::nullopt;
  return checked(answer["values"]);
}

space::Values GuestSampler::checked(const Json& values) {
  const space::Space& space = untried_.space();
  if (!values.is_array() || values.size() != space.size())
    process_.refuse(fmt::format("proposed {} values for {} parameters", values.size(), space.size()));
  space::Values out(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!space.is_active(i, out)) continue;
    const space::Parameter& parameter = space.parameters()[i];
    const auto value = values[i].is_number() ? typed(parameter, values[i].get<double>()) : std::nullopt;
    if (!value || !space.contains(i, *value))
      process_.refuse(fmt::format("proposed {} for '{}', which is {}", value_text(values[i]), parameter.name,
                                  space::domain_text(parameter)));
    out[i] = *value;
  }
  return out;
}

}  // namespace dlrun::guest
