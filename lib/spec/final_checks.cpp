// SPDX-License-Identifier: Apache-2.0
// `final:` of a study: the training after the search.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "spec/study_spec.hpp"
#include "spec/warm_checks.hpp"
#include "trial/runner.hpp"

namespace dlrun::spec {

using NameSet = std::set<std::string>;

namespace {

void check_arms(const Json& final, Faults& faults) {
  if (!final["compare"].is_array()) return;
  std::vector<std::string> known{"kaiming", "kaiming_longer"};
  known.insert(known.end(), warmstart::kWarmPolicies.begin() + 1, warmstart::kWarmPolicies.end());
  NameSet seen;
  for (std::size_t i = 0; i < final["compare"].size(); ++i) {
    if (!final["compare"][i].is_string()) continue;
    const std::string arm = final["compare"][i].get<std::string>(), at = fmt::format("final.compare.{}", i);
    if (std::find(known.begin(), known.end(), arm) == known.end())
      faults.at(at, fmt::format("there is no '{}' to compare with", arm), suggest(arm, known));
    if (!seen.insert(arm).second) faults.at(at, fmt::format("'{}' is named twice", arm), "name each once");
  }
  if (final["seeds"] == 1)
    faults.at(faults.was_written("final.seeds") ? "final.seeds" : "final.compare",
              "one seed cannot tell rivals from luck", "write seeds: 10");
}

Json texts_of(const Json& list) {
  Json out = Json::array();
  for (const Json& one : list.is_array() ? list : Json::array()) {
    if (one.is_string()) out.push_back(one);
  }
  return out;
}

/// `last`, `best` or a number of epochs.
void check_reading(Json& from, Faults& faults) {
  if (!from.is_object()) return;
  const Json& at = from["at"];
  const bool is_known = at.is_null() || at == "last" || at == "best" || (at.is_number_integer() && at > 0);
  if (!is_known)
    faults.at("final.warm_start.from.at",
              fmt::format("there is no checkpoint '{}'", at.is_string() ? at.get<std::string>() : to_text(at)),
              "last, best, or a number of epochs");
}

}  // namespace

void check_final(Json& study, Faults& faults) {
  if (!faults.has_inside("final") || !study["final"].is_object()) {
    study.erase("final");
    return;
  }
  Json& final = study["final"];
  if (study["trial"].is_object() && study["trial"]["kind"] != "train")
    return faults.at_key("final", "only trials that train have weights to begin with", "remove it");
  if (final["warm_start"].is_object() && !faults.is_bad("final.warm_start")) {
    refuse_unused(final["warm_start"], "final.warm_start", faults, texts_of(final["compare"]));
    check_reading(final["warm_start"]["from"], faults);
  }
  check_arms(final, faults);
}

namespace {

/// A file of a model's tensors, but for the numbers.
std::vector<tensors::TensorView> views_of(const std::vector<tensors::Wanted>& model) {
  std::vector<tensors::TensorView> out;
  for (const tensors::Wanted& tensor : model)
    out.push_back({tensor.name, tensor.is_count ? "I64" : "F32", tensor.shape, {}});
  return out;
}

bool searches_model(const Json& space) {
  return std::any_of(space.begin(), space.end(), [](const Json& parameter) {
    return parameter.value("at", Json()).is_string() && parameter["at"].get<std::string>().starts_with("model");
  });
}

}  // namespace

void check_final_model(const Json& study, const dataset::Schema& schema, Faults& faults) {
  const Json final = study.value("final", Json());
  if (!final.is_object() || !final.value("set", Json()).is_object() || faults.list.has_errors()) return;
  Json start = final.value("warm_start", Json());
  if (!start.is_object()) start = {{"policy", "best"}};
  if (start["policy"] == "none" || searches_model(study["space"])) return;
  try {
    const Json changed = trial::configured(study["trial"], final["set"]);
    const auto before = model_tensors(study["trial"], schema), after = model_tensors(changed, schema);
    if (!before || !after) return faults.at("final.set", "with these settings the model cannot be built");
    warmstart::fill_in(start);
    start["donors"] = {{{"sha256", "what the search trains"}, {"epoch", 1}, {"horizon", 1}}};
    const auto warm = warmstart::warm_start_of(start);
    const auto plan = warmstart::plan_transfer(views_of(*before), *after, warmstart::transfer_rules(*warm));
    const std::string fault = misfit(*warm, plan);
    if (!fault.empty())
      faults.at("final.set", "weights of the search do not fit this model: " + fault,
                "policy: partial takes what fits");
  } catch (const Error& fault) {
    faults.at("final.set", fault.what(), fault.hint());
  }
}

}  // namespace dlrun::spec
