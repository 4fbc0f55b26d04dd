// SPDX-License-Identifier: Apache-2.0
// Metrics that the examples of a split do not define, fold by fold.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dataset/majority.hpp"
#include "recipe/outputs.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"

namespace dlrun::spec {

namespace {

/// The data of one fold, or of all trials.
struct DataOfFold {
  Json section;
  dataset::Schema schema;
  std::string words;  ///< " of fold 3"; empty: there are none
};

class MetricCheck {
 public:
  MetricCheck(const DataOfFold& data, std::uint64_t seed, Faults& faults) : data_(data), seed_(seed), faults_(faults) {}

  void check(const std::string& name, const std::string& path) {
    if (name == "auc") return check_classes(path);
    if (name != "r2" && name != "explained_variance") return;
    refuse_if(data_.schema.val == 1, name, path, "has one example", "mae, or more examples in it");
    warn_if(data_.schema.test == 1, name, path, "has one example");
  }

 private:
  void check_classes(const std::string& path) {
    const char* const reason = "has examples of one class alone";
    refuse_if(share_of("val") == 1, "auc", path, reason, "divide the data otherwise (stratify, fewer folds)");
    warn_if(share_of("test") == 1, "auc", path, reason);
  }

  /// Share of the most frequent class; 0: the target is no single label.
  double share_of(const std::string& split) {
    if (shares_.empty()) shares_ = dataset::majority_shares(data_.section, data_.schema, seed_);
    const auto found = shares_.find(split);
    return found == shares_.end() ? 0 : found->second;
  }

  void refuse_if(bool is_wrong, const std::string& name, const std::string& path, const char* reason,
                 const char* otherwise) {
    if (!is_wrong || faults_.is_bad(path)) return;
    faults_.at(path, fmt::format("{} is not defined: the validation split{} {}", name, data_.words, reason),
               fmt::format("{}, or leave the metric out", otherwise));
  }

  void warn_if(bool is_wrong, const std::string& name, const std::string& path, const char* reason) {
    if (!is_wrong || !data_.words.empty() || faults_.is_bad(path)) return;
    faults_.warn(path, fmt::format("{} is not measured on the test split, which {}", name, reason));
  }

  const DataOfFold& data_;
  std::uint64_t seed_;
  Faults& faults_;
  std::map<std::string, double> shares_;
};

void check_outputs_of(const Json& trial, const DataOfFold& data, std::uint64_t seed, Faults& faults) {
  MetricCheck check(data, seed, faults);
  for (const recipe::OutputSection& output : recipe::outputs_of(trial)) {
    if (!output.metrics.is_array() || output.is_auxiliary) continue;
    for (std::size_t i = 0; i < output.metrics.size(); ++i) {
      if (!output.metrics[i].is_string()) continue;
      check.check(output.metrics[i].get<std::string>(), join(output.place("metrics"), std::to_string(i)));
    }
  }
}

bool divides_otherwise(const Json& space) {
  return std::any_of(space.begin(), space.end(), [](const Json& parameter) {
    const Json at = parameter.value("at", Json());
    return at.is_string() && at.get_ref<const std::string&>().starts_with("data.");
  });
}

}  // namespace

void check_measures(const Json& trial, const Json& space, const dataset::Schema& schema, std::uint64_t seed,
                    Faults& faults) {
  if (!space.is_array() || divides_otherwise(space) || faults.is_bad("trial.data") || faults.is_bad("trial.folds"))
    return;
  const Json folds = trial.value("folds", Json());
  if (!folds.is_number_integer()) return check_outputs_of(trial, {trial["data"], schema, ""}, seed, faults);
  for (int fold = 0; fold < folds.get<int>(); ++fold) {
    const Json data = trial::configured(trial, {{"data.split.fold", fold}})["data"];
    check_outputs_of(trial, {data, dataset::inspect(data, {}, seed), fmt::format(" of fold {}", fold)}, seed, faults);
  }
}

}  // namespace dlrun::spec
