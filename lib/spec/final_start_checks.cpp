// SPDX-License-Identifier: Apache-2.0
// Checks of a final training's start, as far as it is known before the search: the model's tensors, the optimizer, the
// donor's epochs.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "model/parameter_groups.hpp"
#include "recipe/optimizer.hpp"
#include "spec/continued_schedule.hpp"
#include "spec/study_spec.hpp"
#include "spec/warm_checks.hpp"
#include "trial/runner.hpp"
#include "warmstart/misfit.hpp"
#include "warmstart/race.hpp"
#include "warmstart/same_rows.hpp"

namespace dlrun::spec {

namespace {

/// A file of a model's tensors, but for the numbers.
std::vector<tensors::TensorView> views_of(const std::vector<tensors::Wanted>& model) {
  std::vector<tensors::TensorView> out;
  for (const tensors::Wanted& tensor : model)
    out.push_back({tensor.name, tensor.is_count ? "I64" : "F32", tensor.shape, {}});
  return out;
}

bool sets_model(const Json& parameter) {
  return parameter.value("at", Json()).is_string() && parameter["at"].get<std::string>().starts_with("model");
}

/// A parameter's bounds, or its choices.
Json extremes(const Json& parameter) {
  Json choices = parameter.value("choices", Json());
  if (choices.is_array()) return choices;
  Json out = Json::array();
  for (const char* key : {"low", "high", "value"}) {
    if (parameter.contains(key) && !parameter[key].is_null()) out.push_back(parameter[key]);
  }
  return out;
}

std::string op_of(const Json& optimizer) {
  const Json op = optimizer.is_object() ? optimizer.value("op", Json("sgd")) : optimizer;
  return op.is_string() ? op.get<std::string>() : "sgd";
}

std::string numbers(int count) { return count == 1 ? "1 number" : fmt::format("{} numbers", count); }

class FinalStartCheck {
 public:
  FinalStartCheck(const Json& study, const dataset::Schema& schema, const dataset::Schema& later,
                  const std::vector<std::string>& metrics, Faults& faults)
      : study_(study),
        trial_(study.at("trial")),
        space_(study.at("space")),
        final_(study.at("final")),
        start_(final_.value("warm_start", Json())),
        schema_(schema),
        later_(later),
        metrics_(metrics),
        faults_(faults) {
    if (!start_.is_object()) start_ = Json::object();
    const Json sets = final_.value("set", Json());
    sets_ = sets.is_object() ? sets : Json::object();
    if (!start_.value("policy", Json()).is_string()) start_["policy"] = "best";
  }

  void check() {
    check_rank();
    check_rows();
    const std::vector<Json> own = own_starts();
    for (const Json& start : own) check_begin(start);
    check_race();
    for (const Json& arm : final_.value("compare", Json()).is_array() ? final_["compare"] : Json::array()) {
      const bool is_fresh = arm == "kaiming" || arm == "kaiming_longer" || arm == start_["policy"];
      if (!is_fresh) check_begin(warmstart::settings_of(arm.get<std::string>()));
    }
  }

 private:
  /// The policy's settings; of a race those of its arms, or what the plan will ask for at the least.
  std::vector<Json> own_starts() const {
    const auto race = warmstart::race_of(start_);
    if (!race) return {start_};
    std::vector<Json> out;
    for (const std::string& arm : race->arms.empty() ? std::vector<std::string>{"best"} : race->arms) {
      out.push_back(warmstart::settings_of(arm));
      if (start_.contains("from")) out.back()["from"] = start_["from"];
    }
    return out;
  }

  /// An arm that resumes goes through the rest of its donor's schedule.
  void check_race() {
    const auto race = warmstart::race_of(start_);
    const bool resumes = race && std::find(race->arms.begin(), race->arms.end(), "resume") != race->arms.end();
    if (resumes && !faults_.list.has_errors()) check_taken_up(warmstart::short_settings_of("resume"));
  }

  /// The plan knows donors of another study.
  void check_rows() {
    const Json from = start_.value("from", Json());
    const bool is_own = !from.is_object() || !from.value("study", Json()).is_string();
    std::vector<Json> starts = own_starts();
    for (const Json& arm : final_.value("compare", Json()).is_array() ? final_["compare"] : Json::array()) {
      if (arm != "kaiming" && arm != "kaiming_longer") starts.push_back(warmstart::settings_of(arm.get<std::string>()));
    }
    const bool takes = std::any_of(starts.begin(), starts.end(), [](const Json& start) {
      return warmstart::takes_donors(start.value("policy", std::string("best")));
    });
    const auto seed = study_.value("seed", std::uint64_t(0));
    const std::string place = warmstart::leak({trial_, seed}, {trial::configured(trial_, sets_), seed});
    if (takes && is_own && !place.empty())
      faults_.at("final.set", warmstart::leak_text("weights of the search", place), warmstart::kLeakHelp);
  }

  void check_begin(Json start) {
    const Json policy = start.value("policy", Json("best"));
    if (faults_.list.has_errors() || !warmstart::takes_donors(policy.get<std::string>())) return;
    warmstart::fill_in(start);
    const std::int64_t epoch = donors_epoch(start).value_or(1);
    start["donors"] = {{{"sha256", "what the search trains"}, {"epoch", epoch}, {"horizon", epoch}}};
    const auto warm = warmstart::warm_start_of(start);
    check_tensors(start, *warm);
    if (!faults_.list.has_errors()) check_measured(*warm, "final.warm_start", schema_, objective(), faults_);
    if (warm->carries_optimizer) check_optimizer(start);
    check_schedule(start);
  }

  void check_tensors(const Json& start, const warmstart::WarmStart& warm) {
    const Json changed = trial::configured(trial_, sets_);
    const auto before = model_tensors(trial_, schema_), after = model_tensors(changed, later_);
    if (!before || !after) return faults_.at("final.set", "with these settings the model cannot be built");
    if (!check_patterns(start, "final.warm_start", names_in(changed), faults_)) return;
    if (sets_.empty()) return;
    std::vector<std::pair<Json, warmstart::Misfit>> misfits;
    const std::vector<Json> models = searched_models();
    for (const Json& values : models) {
      if (auto misfit = misfit_of(values, warm)) misfits.emplace_back(values, std::move(*misfit));
    }
    const bool is_partial = warm.policy == "partial";  // some trials with enough that fits suffice
    if (!misfits.empty() && (!is_partial || misfits.size() == models.size()))
      refuse_misfit(misfits.front().first, misfits.front().second);
  }

  /// Settings of the model by which trials differ, as far as one parameter of the space makes them.
  std::vector<Json> searched_models() const {
    std::vector<Json> out;
    for (const Json& parameter : space_) {
      if (!sets_model(parameter)) continue;
      for (const Json& value : extremes(parameter)) out.push_back({{parameter["at"].get<std::string>(), value}});
    }
    if (out.empty()) out.push_back(Json::object());
    return out;
  }

  /// Why weights of a trial with these values do not fit the final training's model; nullopt: they do.
  std::optional<warmstart::Misfit> misfit_of(const Json& values, const warmstart::WarmStart& warm) const {
    const Json trial = trial::configured(trial_, values);
    const auto before = model_tensors(trial, schema_), after = model_tensors(trial::configured(trial, sets_), later_);
    if (!before || !after) return std::nullopt;
    return warmstart::misfit_of(warm,
                                warmstart::plan_transfer(views_of(*before), *after, warmstart::transfer_rules(warm)));
  }

  void refuse_misfit(const Json& values, const warmstart::Misfit& misfit) {
    std::string donors = "the search";
    for (const auto& [place, value] : values.items()) donors = fmt::format("a trial with {} {}", place, to_text(value));
    faults_.at("final.set", fmt::format("weights of {} do not fit this model: {}", donors, misfit.fault), misfit.help);
  }

  /// Names of tensors in all models that single parameters of the space can make.
  std::set<std::string> names_in(const Json& changed) const {
    std::set<std::string> out = names_of(model_tensors(changed, later_).value());
    for (const Json& parameter : space_) {
      if (!sets_model(parameter)) continue;
      for (const Json& value : extremes(parameter)) {
        const auto other = model_tensors(trial::configured(changed, {{parameter["at"], value}}), later_);
        if (other) out.merge(names_of(*other));
      }
    }
    return out;
  }

  /// The configuration is the donor's but for `set`.
  void check_optimizer(const Json& start) {
    const bool is_searched = std::any_of(space_.begin(), space_.end(), [](const Json& parameter) {
      const Json at = parameter.value("at", Json());
      return at == "optimizer" || at == "optimizer.op";
    });
    const std::string before = op_of(trial_.value("optimizer", Json("sgd")));
    const std::string after = op_of(trial::configured(trial_, sets_).value("optimizer", Json("sgd")));
    if (is_searched) return;
    if (before == after) return check_kept(start);
    refuse_optimizer(start, fmt::format("of {}, but the final training's optimizer is {}", before, after));
  }

  /// @param clash  of the search's state with the final training
  void refuse_optimizer(const Json& start, const std::string& clash) {
    faults_.at(
        "final.set",
        fmt::format("E403: '{}' carries the optimizer's state, which is {}", start["policy"].get<std::string>(), clash),
        "warm_start.optimizer: reset begins a new one; of policy: best, not of resume");
  }

  /// The same optimizer may keep other tensors.
  void check_kept(const Json& start) {
    if (faults_.list.has_errors()) return;
    const auto before = recipe::read_optimizer(trial_);
    const auto after = recipe::read_optimizer(trial::configured(trial_, sets_));
    const bool is_searched = std::any_of(space_.begin(), space_.end(), [](const Json& parameter) {
      const Json at = parameter.value("at", Json());
      return at == "optimizer.momentum" || at == "optimizer.amsgrad" || at == "optimizer.centered";
    });
    if (!is_searched && recipe::slots_of(before) != recipe::slots_of(after))
      return refuse_optimizer(start, fmt::format("{} for each weight, but the final training's optimizer has {}",
                                                 numbers(recipe::slots_of(before)), recipe::slots_of(after)));
    const std::set<std::string> was = frozen_in(before), is = frozen_in(after);
    std::vector<std::string> differ;
    std::set_symmetric_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(differ));
    if (differ.empty()) return;
    refuse_optimizer(
        start, fmt::format("{} '{}', which the final training {}", was.contains(differ[0]) ? "without" : "also of",
                           differ[0], was.contains(differ[0]) ? "trains" : "freezes"));
  }

  /// Tensors of the model that are not trained.
  std::set<std::string> frozen_in(const recipe::OptimizerConfig& optimizer) const {
    std::vector<std::vector<model::TensorPattern>> patterns;
    for (const recipe::GroupConfig& group : optimizer.groups)
      patterns.emplace_back(group.match.begin(), group.match.end());
    std::set<std::string> frozen;
    const model::Graph graph = model::build(trial_.at("model"), interface_of(schema_, trial_));
    for (const model::TrainedTensor& tensor : model::trained_tensors(graph, patterns)) {
      if (tensor.group >= 0 && optimizer.groups[std::size_t(tensor.group)].frozen) frozen.insert(tensor.name);
    }
    return frozen;
  }

  /// Where every donor has been trained as long.
  std::optional<std::int64_t> donors_epoch(const Json& start) const {
    const Json from = start.value("from", Json());
    const Json at = from.is_object() ? from.value("at", Json()) : Json();
    if (at.is_number_integer()) return at.get<std::int64_t>();
    const bool is_other = from.is_object() && from.value("study", Json()).is_string();
    const Json pruner = study_.value("search", Json::object()).value("pruner", Json());
    const bool prunes =
        pruner.is_object() ? pruner.value("op", Json()) != "none" : !pruner.is_null() && pruner != "none";
    const Json& all = study_.at("objective");
    const bool is_best = at == "best" || (at.is_null() && (all.is_array() ? all.at(0) : all).value("at", "") == "best");
    if (is_other || prunes || is_best || searches_epochs()) return std::nullopt;
    return trial_.at("epochs").get<std::int64_t>();
  }

  bool searches_epochs() const {
    return std::any_of(space_.begin(), space_.end(),
                       [](const Json& parameter) { return parameter.value("at", Json()) == "epochs"; });
  }

  /// Whether the donor's schedule leaves something to be taken up, as far as no parameter sets it.
  void check_taken_up(const Json& start) {
    const bool is_searched = std::any_of(space_.begin(), space_.end(), [](const Json& parameter) {
      const Json at = parameter.value("at", Json());
      return at.is_string() && at.get<std::string>().starts_with("schedule");
    });
    if (is_searched || start.value("policy", Json()) == "resume") return;
    const Json horizon = trial_.value("horizon", Json());
    const auto trained = donors_epoch(start);
    const bool is_over = trained && *trained >= (horizon.is_number() ? horizon : trial_.at("epochs"));
    const std::string place = "final.warm_start.schedule", schedule = start.value("schedule", std::string("restart"));
    if (const auto misfit = misfit_of_schedule(trial::configured(trial_, sets_), schedule, is_over))
      faults_.at(faults_.was_written(place) ? place : "final", misfit->fault, misfit->help);
  }

  void check_schedule(const Json& start) {
    if (!faults_.list.has_errors()) check_taken_up(start);
    const auto trained = donors_epoch(start);
    if (start.value("schedule", Json()) != "remaining" || !trained || faults_.list.has_errors()) return;
    const Json horizon = trial_.value("horizon", Json()), asked = final_.value("epochs", Json());
    const Json all = asked.is_number() ? asked : horizon.is_number() ? horizon : trial_.at("epochs");
    if (*trained < all) return;
    faults_.at(faults_.was_written("final.epochs") ? "final.epochs" : "final",
               fmt::format("the search trains {} epochs, so none of {} remains", *trained, to_text(all)),
               "train longer, or write schedule: restart; of policy: best, not of resume");
  }

  void check_rank() {
    const Json from = start_.value("from", Json());
    const Json by = from.is_object() ? from.value("rank_by", Json()) : Json();
    if (!by.is_string() || std::find(metrics_.begin(), metrics_.end(), by.get<std::string>()) != metrics_.end()) return;
    const bool is_other = from.value("study", Json()).is_string();  // another study has other metrics
    if (!is_other && !metrics_.empty())
      faults_.at("final.warm_start.from.rank_by", fmt::format("no trial measures '{}'", by.get<std::string>()),
                 suggest(by.get<std::string>(), metrics_));
  }

  std::string objective() const {
    const Json& all = study_.at("objective");
    const Json metric = (all.is_array() ? all.at(0) : all).value("metric", Json());
    return metric.is_string() ? metric.get<std::string>() : "";
  }

  const Json &study_, &trial_, &space_, &final_;
  Json start_, sets_;
  const dataset::Schema &schema_, &later_;  ///< data of the search, and of the final training
  const std::vector<std::string>& metrics_;
  Faults& faults_;
};

}  // namespace

void check_final_start(const Json& study, const dataset::Schema& schema, const dataset::Schema& later, Faults& faults) {
  if (!study.value("final", Json()).is_object() || study["final"].value("of", Json()).is_string()) return;
  if (faults.list.has_errors()) return;
  try {
    FinalStartCheck(study, schema, later, metrics_of(study["trial"], study["space"], schema), faults).check();
  } catch (const Error& fault) {
    faults.at("final", fault.what(), fault.hint());
  }
}

}  // namespace dlrun::spec
