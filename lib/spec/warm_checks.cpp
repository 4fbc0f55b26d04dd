// SPDX-License-Identifier: Apache-2.0
// `warm_start:` and `horizon:` of a trial. Donors are read and compared with the model here, those in a store where it
// is known which.
#include <algorithm>

#include <fmt/format.h>

#include "model/parameter_groups.hpp"
#include "spec/continued_schedule.hpp"
#include "spec/keys.hpp"
#include "spec/warm_checks.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"
#include "warmstart/misfit.hpp"
#include "warmstart/transfer_rules.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;

namespace {

using warmstart::averages;

/// Keys that a policy makes no use of.
std::vector<std::string> unused_by(const std::string& policy) {
  std::vector<std::string> out;
  const bool is_race = policy == "race";
  if (!is_race) out.emplace_back("race");
  if (!warmstart::mixes(policy) && !is_race) out.insert(out.end(), {"lambda", "sigma"});
  if (policy != "partial") out.emplace_back("min_fraction");
  if (!averages(policy)) out.emplace_back("k");
  if (policy != "resume") out.emplace_back("allow_superset");
  if (policy == "resume" || is_race)
    out.insert(out.end(), {"include", "exclude", "map", "on_mismatch", "buffers", "batches", "guard", "lr_scale"});
  if (policy == "resume" || is_race || averages(policy)) out.emplace_back("optimizer");
  if (policy == "resume" || is_race) out.emplace_back("schedule");
  if (!warmstart::takes_donors(policy))
    out.insert(out.end(), {"include", "exclude", "map", "on_mismatch", "optimizer", "schedule", "guard", "from"});
  if (policy == "none") out.insert(out.end(), {"buffers", "batches", "lr_scale"});
  return out;
}

/// Value of a key that is not written.
Json usual(const Json& start, const std::string& key) {
  const Key* own = find(find(final_key().table, "warm_start")->table, key);
  Json out = start;
  out[key] = own == nullptr ? Json() : own->fallback;
  warmstart::fill_in(out);
  return out.value(key, Json());
}

bool is_set(const Json& value) {
  if (!value.is_object()) return !value.is_null();
  return std::any_of(value.begin(), value.end(), [](const Json& one) { return is_set(one) && one != "best"; });
}

}  // namespace

bool is_meant(const Json& start, const std::string& at, const std::string& key, const Faults& faults) {
  if (!faults.was_written(join(at, key)) || !start.contains(key)) return false;
  return is_set(start[key]) && start[key] != usual(start, key);
}

namespace {

/// Fresh weights have neither moments of a donor nor a part of its schedule behind them.
void refuse_half_fresh(const Json& start, const std::string& at, Faults& faults) {
  const Json guard = start.value("guard", Json());
  if (!guard.is_object() || guard.value("fallback", Json()) != "none") return;
  const auto is = [&](const char* key, const char* value) { return start.value(key, Json()) == value; };
  const bool is_carried = is("optimizer", "carry");
  if (!is_carried && !is("schedule", "continue") && !is("schedule", "remaining")) return;
  const std::string other = is_carried ? "optimizer" : "schedule";
  faults.clash(join(at, "guard.fallback"), "fresh weights would be trained with the donor's " + other, join(at, other),
               "it is set here", "write fallback: best, or remove one of the two");
}

}  // namespace

void refuse_unused(const Json& start, const std::string& at, Faults& faults, const Json& others) {
  const std::string policy = start["policy"].is_string() ? start["policy"].get<std::string>() : "best";
  const bool any_averages =
      std::any_of(others.begin(), others.end(), [](const Json& one) { return averages(one.get<std::string>()); });
  for (const std::string& key : unused_by(policy)) {
    if (key == "k" && any_averages) continue;
    if (is_meant(start, at, key, faults))
      faults.at_key(join(at, key), fmt::format("'{}' makes no use of '{}'", policy, key), "remove it");
  }
  const Json buffers = start["buffers"].is_null() ? usual(start, "buffers") : start["buffers"];
  if (is_meant(start, at, "batches", faults) && buffers != "recalibrate")
    faults.at_key(join(at, "batches"), "batches are those of buffers: recalibrate", "remove it");
  const bool has_guard = start["guard"].is_object() && !start["guard"]["max_val_drop"].is_null();
  const bool is_other = start["guard"].is_object() && start["guard"]["fallback"] != "best";
  if (is_other && faults.was_written(join(at, "guard.fallback")) && !has_guard && policy != "topk_average")
    faults.at_key(join(at, "guard.fallback"), "there is no guard that could fall back", "set max_val_drop beside it");
  refuse_half_fresh(start, at, faults);
}

void refuse_for_program(const Json& start, const std::string& at, Faults& faults) {
  for (const auto& [key, value] : start.items()) {
    const bool is_known = key == "policy" || key == "from" || (key == "race" && start["policy"] == "race");
    if (!is_known && is_meant(start, at, key, faults))
      faults.at_key(join(at, key), fmt::format("a program loads its weights by itself and makes no use of '{}'", key),
                    "remove it");
  }
}

namespace {

bool check_pattern(const Json& written, const std::string& at, const std::set<std::string>& names, Faults& faults) {
  try {
    const model::TensorPattern pattern(written.get<std::string>());
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return pattern.names(name); }))
      return true;
    faults.at(at, fmt::format("{} names no tensor of the model", to_text(written)),
              "a pattern has to match a whole name, or that of a layer or block");
  } catch (const Error& fault) {
    faults.at(at, fault.what());
  }
  return false;
}

}  // namespace

std::set<std::string> names_of(const std::vector<tensors::Wanted>& model) {
  std::set<std::string> out;
  for (const tensors::Wanted& tensor : model) out.insert(tensor.name);
  return out;
}

bool check_patterns(const Json& start, const std::string& at, const std::set<std::string>& names, Faults& faults) {
  for (const char* key : {"include", "exclude"}) {
    const Json patterns = start.value(key, Json());
    for (std::size_t i = 0; patterns.is_array() && i < patterns.size(); ++i) {
      if (!check_pattern(patterns[i], fmt::format("{}.{}.{}", at, key, i), names, faults)) return false;
    }
  }
  return true;
}

void check_measured(const warmstart::WarmStart& start, const std::string& at, const dataset::Schema& schema,
                    const std::string& metric, Faults& faults) {
  if (!start.measures()) return;
  if (schema.val == 0)
    return faults.at(at, "the validation split is empty, so nothing tells good weights from bad ones",
                     "take policy: best without a guard, or leave rows for validation");
  if (!metric.empty() && !metric.starts_with("val."))
    faults.at(at, fmt::format("weights are judged by the objective, but '{}' is not measured before training", metric),
              "make the objective a metric on val");
}

namespace {

constexpr const char* kPlace = "trial.warm_start";

std::string place_of(std::size_t donor) { return fmt::format("{}.donors.{}", kPlace, donor); }

/// The donors of `trial.warm_start`.
class DonorList {
 public:
  DonorList(Json& start, const WeightPlaces& places, Faults& faults)
      : start_(start), places_(places), faults_(faults) {}

  /// Reports a missing list. @return whether it is there
  bool is_there(const std::string& help) {
    if (start_["donors"].is_array() && !start_["donors"].empty()) return true;
    faults_.at_key(kPlace, "'warm_start' needs donors, the checkpoints that give weights", help);
    return false;
  }

  /// Fills in places and hashes of files.
  void find_files() {
    for (std::size_t i = 0; i < start_["donors"].size(); ++i) {
      Json& donor = start_["donors"][i];
      if (!donor.is_object()) return faults_.spoil(kPlace);
      if (donor["from"].is_string()) find_file(donor, place_of(i));
      if (donor["sha256"].is_string()) continue;
      faults_.spoil(kPlace);
      if (!donor["from"].is_string())
        faults_.at(place_of(i), "a donor is a file, or an artifact of the store", "from: weights.safetensors");
    }
  }

  void check_count() {
    const std::size_t count = start_["donors"].size();
    const bool takes_several = averages(start_["policy"].get<std::string>());
    if (takes_several && count < 2)
      faults_.at(join(kPlace, "donors"), fmt::format("'{}' takes several donors", start_["policy"].get<std::string>()),
                 "name more, or write policy: best");
    if (!takes_several && count > 1)
      faults_.at(join(kPlace, "donors"), fmt::format("'{}' takes one donor", start_["policy"].get<std::string>()),
                 "name the best alone");
  }

 private:
  void find_file(Json& donor, const std::string& at) {
    const auto path = find_named_file(donor["from"].get<std::string>(), places_.folders, at, faults_);
    if (!path) return faults_.spoil(kPlace);
    const std::string found = Sha256::hex_of(read_file(*path));
    if (donor["sha256"].is_string() && donor["sha256"] != found) {
      faults_.at(join(at, "sha256"), "the file has another content: its sha256 is " + found,
                 "bring back the file it was, or remove this line");
      faults_.spoil(kPlace);
    }
    donor["sha256"] = found;
    donor["from"] = path->string();
  }

  Json& start_;
  const WeightPlaces& places_;
  Faults& faults_;
};

class WarmStartCheck {
 public:
  WarmStartCheck(Json& trial, const WeightPlaces& places, const dataset::Schema& schema, const std::string& metric,
                 Faults& faults)
      : trial_(trial),
        start_(trial["warm_start"]),
        places_(places),
        schema_(schema),
        metric_(metric),
        faults_(faults) {}

  void check() {
    if (faults_.was_written("trial.init") && trial_.contains("init"))
      return faults_.clash(kPlace, "a trial begins with weights of one kind", "trial.init", "init",
                           "remove one of the two");
    if (start_["why"].is_null()) start_.erase("why");
    if (start_["policy"] == "fresh_shrunk") return check_fresh();
    DonorList donors(start_, places_, faults_);
    if (!donors.is_there("donors: [{from: weights.safetensors}], or write `final:` and let `dlrun train` choose"))
      return;
    refuse_unused(start_, kPlace, faults_);
    warmstart::fill_in(start_);
    donors.find_files();
    if (faults_.is_bad(kPlace)) return;
    donors.check_count();
    check_measured(*warmstart::warm_start_of(start_), kPlace, schema_, metric_, faults_);
    check_schedule();
    check_tensors();
  }

 private:
  /// A start without donors.
  void check_fresh() {
    if (!start_["donors"].is_null())
      faults_.at_key(join(kPlace, "donors"), "'fresh_shrunk' takes no donor", "remove it");
    refuse_unused(start_, kPlace, faults_);
    warmstart::fill_in(start_);
    start_.erase("donors");
  }

  void check_schedule() {
    const Json& first = start_["donors"][0];
    const Json& schedule = start_["schedule"];
    if (schedule == "restart") return;
    const bool is_known = first["epoch"].is_number();
    if (!is_known)
      return faults_.at(
          place_of(0),
          fmt::format("schedule: {} has to know how many epochs the donor was trained", schedule.get<std::string>()),
          "write epoch: N beside it");
    if (schedule == "continue" && !first["horizon"].is_number())
      return faults_.at(place_of(0), "schedule: continue has to know how many epochs the donor's schedule spans",
                        "write horizon: N beside it");
    if (schedule == "remaining" && first["epoch"].get<std::int64_t>() >= trial_["epochs"].get<std::int64_t>())
      faults_.at("trial.epochs",
                 fmt::format("the donor was trained {} epochs, so none of {} remains",
                             first["epoch"].get<std::int64_t>(), trial_["epochs"].get<std::int64_t>()),
                 "train longer, or write schedule: restart");
    check_taken_up();
  }

  /// `resume` goes on with the donor's own schedule.
  void check_taken_up() {
    const Json& first = start_["donors"][0];
    if (start_["policy"] == "resume") return;
    const bool is_over = first["horizon"].is_number() && first["epoch"] >= first["horizon"];
    if (const auto misfit = misfit_of_schedule(trial_, start_["schedule"].get<std::string>(), is_over))
      faults_.at(place_of(0), misfit->fault, misfit->help);
  }

  void check_tensors() {
    std::vector<model::ModelError> found;
    const model::Graph graph = model::build(trial_["model"], interface_of(schema_, trial_), &found);
    if (!found.empty()) return;  // said by check_model
    const std::vector<tensors::Wanted> wanted = tensors_of(graph);
    if (!check_patterns(start_, kPlace, names_of(wanted), faults_)) return;
    try {
      const auto start = warmstart::warm_start_of(start_);
      const warmstart::TransferRules rules = warmstart::transfer_rules(*start);
      for (std::size_t i = 0; i < start->donors.size(); ++i) check_donor(*start, i, wanted, rules);
    } catch (const Error& fault) {
      faults_.at(kPlace, fault.what(), fault.hint());
    }
  }

  void check_donor(const warmstart::WarmStart& start, std::size_t number, const std::vector<tensors::Wanted>& wanted,
                   const warmstart::TransferRules& rules) {
    const warmstart::Donor& donor = start.donors[number];
    if (donor.from.empty() && !places_.checkpoint) return;  // the worker looks at it
    const fs::path path = donor.from.empty() ? places_.checkpoint(donor.sha256) : fs::path(donor.from);
    if (!fs::exists(path))
      return faults_.at(place_of(number), fmt::format("the store has no checkpoint {}", donor.sha256),
                        "it was deleted, or belongs to another store: --store");
    const tensors::SafeTensors file(read_file(path), donor.describe());
    const warmstart::TransferPlan plan = warmstart::plan_transfer(tensors::weights_of(file), wanted, rules);
    if (const auto misfit = warmstart::misfit_of(start, plan))
      faults_.at(place_of(number), misfit->fault, misfit->help);
  }

  Json& trial_;
  Json& start_;
  const WeightPlaces& places_;
  const dataset::Schema& schema_;
  const std::string& metric_;
  Faults& faults_;
};

}  // namespace

namespace {

/// Is there something to check? The key is gone where nothing was written.
bool takes_start(Json& trial, const Faults& faults) {
  if (faults.has_inside(kPlace) && trial["warm_start"].is_object()) return !faults.is_bad(kPlace);
  trial.erase("warm_start");
  return false;
}

}  // namespace

void check_warm_start(Json& trial, const WeightPlaces& places, const dataset::Schema& schema, const std::string& metric,
                      Faults& faults) {
  if (takes_start(trial, faults)) WarmStartCheck(trial, places, schema, metric, faults).check();
}

void check_program_start(Json& trial, const WeightPlaces& places, Faults& faults) {
  if (!takes_start(trial, faults)) return;
  DonorList donors(trial["warm_start"], places, faults);
  if (!donors.is_there("donors: [{from: FILE}], or write `final:` and let `dlrun train` choose")) return;
  donors.find_files();
  if (!faults.is_bad(kPlace)) donors.check_count();
}

void check_horizon(Json& trial, Faults& faults) {
  if (!trial.contains("horizon")) return;
  const Json horizon = trial["horizon"];
  if (horizon.is_null() || horizon == trial["epochs"]) {
    trial.erase("horizon");
    return;
  }
  if (!trial["epochs"].is_number() || !horizon.is_number()) return;
  if (horizon < trial["epochs"])
    faults.at("trial.horizon",
              fmt::format("the schedule would end after {} of {} epochs", to_text(horizon), to_text(trial["epochs"])),
              "a horizon is longer than the trial");
  const Json swa = trial.value("swa", Json());
  if (swa.is_object() && !swa.value("start", Json()).is_null())
    faults.clash("trial.horizon", "swa counts from the end of the trial, which is not the end of the schedule",
                 "trial.swa", "swa", "remove one of the two");
}

}  // namespace dlrun::spec
