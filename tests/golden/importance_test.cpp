// SPDX-License-Identifier: Apache-2.0
// Importances of recorded trials beside Optuna 5.0.0's (importance/generate writes the file).
#include "importance/fanova.hpp"
#include "importance/ped_anova.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace importance_test {

using namespace dlrun;
using importance::Evidence;

namespace {

space::Parameter parameter_of(const Json& json) {
  space::Parameter p{.name = json.at("name").get<std::string>()};
  const std::string type = json.at("type").get<std::string>();
  if (type == "categorical") {
    p.type = space::Type::categorical;
    for (const Json& choice : json.at("choices")) p.choices.push_back(choice);
    return p;
  }
  if (type == "int") p.type = space::Type::integer;
  p.low = json.at("low").get<double>();
  p.high = json.at("high").get<double>();
  p.log = json.value("log", false);
  if (json.contains("step")) p.step = json["step"].get<double>();
  if (json.contains("when"))
    p.when = {{json["when"][0] == "opt" ? std::size_t(0) : 1, {space::Choice{json["when"][1]}}}};
  return p;
}

struct Recorded {
  Json json;
  Evidence evidence;
  double theirs(const std::string& method, std::size_t p) const {
    return json.at(method).at(evidence.space.parameters()[p].name).get<double>();
  }
};

Recorded recorded(const std::string& table) {
  Recorded out{parse_json(read_file(DLRUN_IMPORTANCES, 1 << 20), "the recorded trials").at(table), {}};
  std::vector<space::Parameter> parameters;
  for (const Json& p : out.json.at("space")) parameters.push_back(parameter_of(p));
  out.evidence.space = space::Space(parameters);
  for (const Json& trial : out.json.at("trials")) {
    space::Values values(parameters.size());
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const Json value = trial.at("values").value(parameters[p].name, Json());
      if (value.is_null()) continue;
      const bool is_choice = parameters[p].type == space::Type::categorical;
      values[p] =
          is_choice ? space::Value(space::Choice{value.get<std::uint32_t>()}) : out.evidence.space.from_json(p, value);
    }
    out.evidence.values.push_back(values);
    out.evidence.objectives.push_back(trial.at("objective").get<double>());
    out.evidence.budgets.push_back(1);
  }
  return out;
}

}  // namespace

TEST_CASE("PED-ANOVA agrees with Optuna's, conditional parameters too", "[golden][importance]") {
  const Recorded trials = recorded(GENERATE("plain", "mixed"));
  const auto found = importance::ped_anova(trials.evidence, {.resamples = 0});
  for (std::size_t p = 0; p < found.parameters.size(); ++p) {
    CAPTURE(trials.evidence.space.parameters()[p].name);
    CHECK(found.parameters[p].value == Approx(trials.theirs("ped_anova", p)).margin(1e-9));
  }
}

TEST_CASE("fANOVA agrees with Optuna's where both measure alike", "[golden][importance]") {
  const Recorded trials = recorded("plain");
  const auto found = importance::fanova(trials.evidence);
  double sum = 0;  // Optuna's are shares of the single parameters' sum
  for (const auto& share : found.parameters) sum += share.value;
  for (std::size_t p = 0; p < found.parameters.size(); ++p) {
    CAPTURE(trials.evidence.space.parameters()[p].name);
    CHECK(found.parameters[p].value / sum == Approx(trials.theirs("fanova", p)).margin(0.03));
  }
}

}  // namespace importance_test
