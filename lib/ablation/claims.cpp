// SPDX-License-Identifier: Apache-2.0
#include "ablation/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ablation/cells.hpp"
#include "dataset/dataset.hpp"
#include "recipe/metric_kinds.hpp"
#include "trial/kinds.hpp"
#include "trial/runner.hpp"

namespace dlrun::ablation {

namespace {

constexpr const char *kClaims = "ablation.analysis.claims", *kVary = "ablation.replicates.vary",
                     *kSplits = "ablation.replicates.splits";
constexpr std::int64_t kLeastRows = 2;     ///< in a fold: one has no spread
constexpr std::int64_t kMostFolds = 1000;  ///< as data.split.folds

/// Keys of `data` that say which examples there are, beside those of files.
const Names kOfRows = {"op", "split", "limit", "window", "horizon", "step", "length"};

/// Place by which a component makes other examples of the data; empty: none does.
std::string place_of_rows(const std::vector<Unit>& units, const Json& data) {
  Names keys = dataset::path_keys(data);
  keys.insert(keys.end(), kOfRows.begin(), kOfRows.end());
  for (const Unit& unit : units) {
    for (const auto& [place, value] : unit.sets.items()) {
      const auto is_of = [&place = place](const std::string& key) {
        return place == "data." + key || place.starts_with("data." + key + ".");
      };
      if (place == "data" || std::any_of(keys.begin(), keys.end(), is_of)) return place;
    }
  }
  return {};
}

/// Reason why trials have no value for each validation example; empty: they have, or may hand them in.
std::string reason_without_values(const Section& section, const std::vector<Unit>& units, const Json& trial) {
  const std::string kind = trial["kind"].get<std::string>();
  const bool is_program = trial::runs_program(kind);
  if (kind != "train" && !is_program) return fmt::format("a trial of kind {} hands in none", kind);
  if (trial.value("folds", 1) > 1) return "a trial of several folds has several validation splits";
  if (is_program) return "";
  const std::string& metric = section.analysis.metric;
  if (!metric.starts_with("val.")) return metric + " is not measured on the validation examples";
  if (!recipe::has_example_values(metric)) return metric + " hangs on a single example";
  const std::string place = place_of_rows(units, trial["data"]);
  return place.empty() ? "" : "a component makes other examples by " + place;
}

/// A program trains on data of its own, and its newest results of examples alone are kept of every run.
void check_program(const Section& section, const Json& study, Faults& faults) {
  const Json objective = study.value("objective", Json());
  if (section.analysis.claim() == "data")
    faults.at(kClaims, "which data a program trains on is not known here, so that nothing can be said of other data",
              "claims: model, if each run hands in its examples, or split");
  if (objective.is_object() && objective.value("at", "last") == "best")
    faults.clash(kClaims, "the results of examples that stay are those of a run's last step", "objective.at",
                 "the epoch that counts", "at: last, or claims: split");
  if (study.value("keep", Json::object()).value("last", 1) == 0)
    faults.clash(kClaims, "the results of examples are given up with the checkpoints", "keep.last", "so says this",
                 "last: 1, or claims: split");
}

/// Tests of signs and ranks know replicates alone.
void check_test(const Section& section, Faults& faults) {
  if (section.analysis.claim() == "split" || section.analysis.test == "paired_t") return;
  faults.clash("ablation.analysis.test",
               fmt::format("{} judges by replicates alone, but the claim is about examples", section.analysis.test),
               kClaims, "the claim", "test: paired_t, or claims: split");
}

/// Keys of replicates that the claim contradicts or does not need.
void check_splits(const Section& section, Faults& faults) {
  const std::string claim = section.analysis.claim();
  if (section.replicates.splits && claim != "data")
    faults.at(kSplits, fmt::format("'splits' changes nothing: replicates share the split with claims: {}", claim),
              "remove it");
  if (section.replicates.vary && claim == "data")
    faults.clash(kVary, "replicates have folds with claims: data, in place of splits of their own", kClaims,
                 "the claim", "remove vary: every row is then judged equally often");
  if (section.replicates.vary && claim == "model")
    faults.clash(kVary, "claims: model is about one training set, but each replicate would draw its own", kClaims,
                 "the claim", "write claims: data, and remove vary");
}

/// Whether the data's section can draw folds of its rows.
bool draws_folds(const Json& data) {
  const Json split = data.value("split", Json());
  const auto is_set = [&](const char* key) { return !split.value(key, Json()).is_null(); };
  return split.is_object() && split.contains("folds") && !is_set("column") && !is_set("time");
}

/// Whether a fault says that the files themselves have a validation split.
bool is_set_aside(const Error& fault) {
  const auto* of_data = dynamic_cast<const dataset::DataError*>(&fault);
  return of_data != nullptr && of_data->path() == "split.folds";
}

/// Why replicates have no folds.
struct Reason {
  std::string what, help;  ///< empty: the data says itself which rows are for validation
};

std::optional<Reason> too_few_rows(std::int64_t folds, const Json& study) {
  const Json& data = study["derived"]["data"];
  const std::int64_t rows = data["train"].get<std::int64_t>() + data["val"].get<std::int64_t>();
  if (rows >= kLeastRows * folds) return std::nullopt;
  return Reason{fmt::format("{} rows of train and val are too few for {} folds, one for each replicate", rows, folds),
                fmt::format("at most {} replicates, or replicates: {{splits: fixed}}", rows / kLeastRows)};
}

/// Every fold can be drawn, and leaves the model's inputs as they are; else why not.
std::optional<Reason> not_drawn(const Json& trial, int folds, const Json& study, const Checker& checker) {
  for (int fold = 0; fold < folds; ++fold) {
    try {
      const Json data = trial::configured(trial, {{"data.split.fold", fold}})["data"];
      if (checker.inputs_of(data, study["seed"].get<std::uint64_t>()) == study["derived"]["data"]["inputs"]) continue;
      return Reason{
          fmt::format("fold {} of {} gives the model other inputs", fold, folds),
          "a category that some training split lacks is no column there; replicates: {splits: fixed} keeps one split"};
    } catch (const Error& fault) {
      if (is_set_aside(fault)) return Reason{};
      return Reason{fmt::format("fold {} of {}: {}", fold, folds, fault.what()), fault.hint()};
    }
  }
  return std::nullopt;
}

/// `splits: fixed` is for data that could be cut into folds, or whose folds fail.
void check_fixed(const std::optional<Reason>& without_folds, Faults& faults) {
  if (without_folds && without_folds->what.empty())
    faults.at(kSplits, "'splits' changes nothing: replicates share the split of this study anyway", "remove it");
}

int wanted_folds(const Section& section) {
  return int(std::clamp<std::int64_t>(std::int64_t(section.replicates.numbers().size()), 2, kMostFolds));
}

std::optional<Reason> reason_without_folds(const Section& section, const Json& study, const Checker& checker) {
  const Json& trial = study["trial"];
  if (!draws_folds(trial["data"])) return Reason{};
  if (!trial["data"]["split"]["folds"].is_null())
    return Reason{"claims: data draws a fold for each replicate, but the data has folds of its own",
                  "remove data.split.folds, or write replicates: {splits: fixed}"};
  const int folds = wanted_folds(section);
  if (auto reason = too_few_rows(folds, study)) return reason;
  return not_drawn(in_folds(study, folds), folds, study, checker);
}

/// Whether trainings begin with weights that may have seen the rows of other splits.
bool begins_trained(const std::vector<Unit>& units, const Json& trial) {
  const auto is_start = [](const std::string& place) {
    return place.starts_with("init") || place.starts_with("warm_start");
  };
  const auto sets_start = [&](const Unit& unit) {
    const auto all = unit.sets.items();
    return std::any_of(all.begin(), all.end(), [&](const auto& set) { return is_start(set.key()); });
  };
  return !trial.value("init", Json()).is_null() || !trial.value("warm_start", Json()).is_null() ||
         std::any_of(units.begin(), units.end(), sets_start);
}

/// Whether a section that names no claim is about examples: its trials, its test and its replicates allow that.
bool is_about_examples(const Section& section, const std::vector<Unit>& units, const Json& trial) {
  return trial["kind"] == "train" && section.analysis.test == "paired_t" && !section.stopping &&
         !section.replicates.vary && section.replicates.n > 1 && reason_without_values(section, units, trial).empty();
}

}  // namespace

void check_claims(const Section& section, const std::vector<Unit>& units, const Json& study, Faults& faults) {
  if (faults.is_bad("ablation.analysis") || faults.is_bad("ablation.replicates")) return;
  check_splits(section, faults);
  check_test(section, faults);
  const std::string claim = section.analysis.claim();
  if (claim == "split") return;
  const std::string reason = reason_without_values(section, units, study["trial"]);
  if (reason.empty() && study["trial"]["kind"] != "train") return check_program(section, study, faults);
  if (reason.empty()) return;
  faults.at(kClaims, fmt::format("claims: {} needs a value for each validation example, but {}", claim, reason),
            "claims: split");
}

void settle_claim(Section& section, const std::vector<Unit>& units, const Json& study) {
  if (!section.analysis.claims)
    section.analysis.claims = is_about_examples(section, units, study["trial"]) ? "data" : "split";
}

int settle_folds(Section& section, const std::vector<Unit>& units, const Json& study, const Checker& checker,
                 Faults& faults) {
  if (section.analysis.claim() != "data" || faults.list.has_errors()) return 0;
  const bool is_written = faults.was_written(kClaims),
             keeps_split = !is_written && begins_trained(units, study["trial"]);
  const auto reason = keeps_split ? Reason{} : reason_without_folds(section, study, checker);
  const bool is_fixed = section.replicates.splits.has_value();
  if (is_fixed) check_fixed(reason, faults);
  if (!reason && !is_fixed) return wanted_folds(section);
  if (!is_written) {
    section.analysis.claims = "model";
  } else if (!is_fixed && !reason->what.empty()) {
    faults.at(kClaims, reason->what, reason->help);
  }
  return 0;
}

Json in_folds(const Json& study, int folds) {
  const auto rows = [&](const char* split) { return study["derived"]["data"][split].get<double>(); };
  const auto nearest = std::llround(folds * rows("val") / (rows("train") + rows("val")));
  const auto of_val = std::clamp<std::int64_t>(nearest, 1, folds - 1);
  Json trial = study["trial"];
  Json& split = trial["data"]["split"];
  split.erase("train");
  split.erase("val");
  split["folds"] = folds;
  split["fold"] = 0;
  if (of_val > 1) split["val_folds"] = of_val;
  return trial;
}

int fold_of(const Plan& plan, std::int64_t replicate) {
  const std::vector<std::int64_t> numbers = plan.section.replicates.numbers();
  const auto found = std::find(numbers.begin(), numbers.end(), replicate);
  const std::int64_t index = found != numbers.end() ? found - numbers.begin() : kFirstTuning - replicate;
  return int(index % plan.folds);
}

std::string claim_text(const Plan& plan, const Json& trial) {
  const std::string claim = plan.section.analysis.claim();
  if (plan.section.has_own_splits()) return "data like this, by another split for each replicate";
  if (claim == "split") return "this split, with fresh seeds";
  if (plan.folds == 0) return "models trained on this training set, on new examples; replicates share one split";
  const int of_val = trial["data"]["split"].value("val_folds", 1);
  return fmt::format(
      "this training procedure on new data: train and val are cut into {} folds; each replicate is judged on {} and "
      "trains on the rest, so that every row is judged by {}; test rows are left out",
      plan.folds, of_val == 1 ? "another" : fmt::format("{} of them, one further than the last,", of_val),
      of_val == 1 ? "one" : std::to_string(of_val));
}

}  // namespace dlrun::ablation
