// SPDX-License-Identifier: Apache-2.0
#include "driver/decisions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>
#include <functional>
#include <optional>
#include <set>

#include "driver/recorded_study.hpp"
#include "storage/codec.hpp"
#include "storage/moving.hpp"
#include "storage/optuna_rows.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "storage/stored_trials.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::driver {

namespace {

/// "values [0.5] recorded, [0.25] computed; …" for each field that differs.
std::string difference(const std::string& recorded_body, const std::string& computed_body) {
  const Json recorded = parse_json(recorded_body, "a decision"), computed = parse_json(computed_body, "a decision");
  std::set<std::string> names;
  for (const Json* side : {&recorded, &computed}) {
    for (const auto& [name, value] : side->items()) names.insert(name);
  }
  std::string text;
  for (const std::string& name : names) {
    const std::string theirs = to_text(recorded.value(name, Json())), ours = to_text(computed.value(name, Json()));
    if (theirs != ours)
      text += fmt::format("{}{} {} recorded, {} computed", text.empty() ? "" : "; ", name, theirs, ours);
  }
  return text;
}

std::string name_of(const study::Decision& decision) {
  using study::DecisionKind;
  const bool has_trial = decision.kind == DecisionKind::start || decision.kind == DecisionKind::go_on ||
                         decision.kind == DecisionKind::prune;
  const std::string trial = has_trial ? fmt::format(" on trial {}", decision.key.member.trial.value) : "";
  return fmt::format("decision {} ({}{})", decision.number, storage::to_string(decision.kind), trial);
}

/// A trial as its row has it.
storage::StoredTrial stored(const study::TrialView& view) {
  storage::StoredTrial trial{.number = view.id.value, .state = view.state};
  if (view.objective) trial.objectives.push_back(*view.objective);
  if (view.objective) trial.objectives.insert(trial.objectives.end(), view.further.begin(), view.further.end());
  trial.violation = view.violation;
  trial.steps = view.steps;
  return trial;
}

std::string text_of(const storage::StoredTrial& trial) {
  return fmt::format("{} after {} epochs, objective {}{}", trial::to_string(trial.state), trial.steps,
                     trial.objectives.empty() ? "none" : fmt::format("{}", fmt::join(trial.objectives, ", ")),
                     trial.violation ? fmt::format(", {} beyond its bounds", *trial.violation) : "");
}

/// Takes the rows of a log. Decisions are computed where the log has them, so that events of people fall between the
/// same ones as then.
class Recomputation {
 public:
  explicit Recomputation(const Versions& versions)
      : versions_(versions), study_(new_study(spec_of(versions.front()))) {}

  void operator()(const storage::LogRow& row) {
    if (!result_.fault.empty()) return;
    if (const auto* event = std::get_if<study::Event>(&row)) absorb(*event);
    if (const auto* decision = std::get_if<study::Decision>(&row)) compare(*decision);
  }

  /// @param read  reads the rows of the trials, if the log has no fault
  Recomputed finish(const std::function<std::vector<storage::StoredTrial>()>& read) {
    require_all_recorded();
    if (!result_.fault.empty()) return result_;
    for (const storage::StoredTrial& trial : read()) compare(trial);
    return result_;
  }

 private:
  void absorb(const study::Event& event) {
    require_all_recorded();
    if (result_.fault.empty()) study_->absorb(with_meaning(versions_, event));
  }

  /// One call decides all that can be decided, and the driver records all of it before the next event.
  void require_all_recorded() {
    if (computed_.empty() || !result_.fault.empty()) return;
    result_.fault = name_of(computed_.front()) + " is computed, but not recorded";
  }

  void compare(const study::Decision& recorded) {
    if (computed_.empty()) {
      for (study::Decision& decision : study_->decide().decisions) computed_.push_back(std::move(decision));
    }
    if (computed_.empty()) {
      result_.fault = name_of(recorded) + " is recorded, but not computed";
      return;
    }
    const std::string theirs = storage::encode(recorded).body, ours = storage::encode(computed_.front()).body;
    computed_.pop_front();
    if (theirs == ours)
      ++result_.decisions;
    else
      result_.fault = name_of(recorded) + ": " + difference(theirs, ours);
  }

  /// A trial that is completed or pruned by the log changes no more, also while the study is written.
  void compare(const storage::StoredTrial& recorded) {
    if (!result_.fault.empty() || recorded.number >= study_->trial_count()) return;
    const study::TrialView computed = study_->trial(trial::TrialId(recorded.number));
    const bool is_done = computed.state == trial::TrialState::completed || computed.state == trial::TrialState::pruned;
    const std::string theirs = text_of(recorded), ours = text_of(stored(computed));
    if (is_done && theirs != ours)
      result_.fault = fmt::format("trial {}: {} recorded, {} computed", recorded.number, theirs, ours);
  }

  const Versions& versions_;
  std::unique_ptr<study::Study> study_;
  std::deque<study::Decision> computed_;  ///< not compared yet
  Recomputed result_;
};

/// Why a difference is expected, if it is.
std::string remark(const std::filesystem::path& folder, const std::string& study) {
  const auto database = storage::open_for_reading(storage::study_file(folder, study, ".db"));
  const std::optional<int> theirs = storage::other_arithmetic(*database, arithmetic::kVersion);
  if (!theirs) return {};
  return fmt::format(" (the study has decisions by version {} of the arithmetic, this dlrun has version {})", *theirs,
                     arithmetic::kVersion);
}

/// Recomputes a study with tables of today.
Recomputed recomputed(const std::filesystem::path& folder, const std::string& study) {
  const Versions versions = storage::Store::versions(folder, study);
  if (versions.empty()) throw Error(ErrorKind::not_found, "there is no study '" + study + "'");
  Recomputed result;
  if (storage::is_from_optuna(folder, study)) return result;  // decisions of Optuna
  try {
    Recomputation recomputation(versions);
    storage::read_log(folder, study, std::ref(recomputation));
    result = recomputation.finish([&] { return storage::read_trials(folder, study, spec_of(versions.back()).space); });
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    result.fault = fault.what();
  }
  if (!result.fault.empty()) result.fault += remark(folder, study);
  return result;
}

bool has_older_tables(const std::filesystem::path& folder, const std::string& study) {
  const std::filesystem::path file = storage::study_file(folder, study, ".db");
  return std::filesystem::exists(file) &&
         storage::schema_of(*storage::open_for_reading(file)) < storage::current_schema();
}

}  // namespace

Recomputed recompute_decisions(const std::filesystem::path& folder, const std::string& study) {
  if (!has_older_tables(folder, study)) return recomputed(folder, study);
  const TemporaryFolder copy("dlrun-verify");
  std::filesystem::create_directory(copy.path() / "studies");
  try {
    storage::copy_study(folder, study, storage::study_file(copy.path(), study, ".db"));
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    return {.fault = fault.what()};
  }
  return recomputed(copy.path(), study);
}

}  // namespace dlrun::driver
