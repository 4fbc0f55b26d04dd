// SPDX-License-Identifier: Apache-2.0
#include "driver/learning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "space/carry.hpp"
#include "storage/store.hpp"
#include "storage/stored_trials.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using Kind = space::Meeting::Kind;
using trial::TrialState;

std::string goals_text(const study::Rules& rules) {
  const auto text = [](const study::Objective& o) {
    return fmt::format("{} {}", o.maximize ? "maximize" : "minimize", o.metric);
  };
  std::string out = text(rules.objective);
  for (const study::Objective& further : rules.further) out += " and " + text(further);
  return out;
}

/// The faults that keep a study from being learned from at all.
void check_meetings(const std::vector<space::Meeting>& meetings, const std::string& name,
                    std::vector<std::string>& faults, std::vector<std::string>& warnings) {
  std::vector<std::string> missing;
  for (const space::Meeting& m : meetings) {
    if (m.kind == Kind::contradictory)
      faults.push_back(fmt::format("'{}' contradicts '{}' of study '{}': {}", m.name, m.name, name, m.text));
    if (m.kind == Kind::disjoint)
      warnings.push_back(
          fmt::format("search.learn_from: no value of '{}' is common with study '{}': {}", m.name, name, m.text));
    if (m.kind == Kind::missing) missing.push_back("'" + m.name + "'");
  }
  if (missing.empty()) return;
  warnings.push_back(
      missing.size() == meetings.size()
          ? fmt::format("search.learn_from: study '{}' has no parameter of this space", name)
          : fmt::format("search.learn_from: study '{}' says nothing of {}", name, fmt::join(missing, ", ")));
}

/// Why a trial says nothing, whatever its values are; empty: it says something.
std::string unfit(const storage::StoredTrial& trial) {
  if (trial.state == TrialState::failed) return {};
  if (trial.state == TrialState::cancelled) return "cancelled";
  if (!trial::is_final(trial.state)) return "not over";
  if (trial.violation && *trial.violation > 0) return "infeasible";
  return trial.objectives.empty() ? "without a value" : "";
}

study::Learned lesson_of(const storage::StudyRow& row, const spec::StudySpec& earlier, const spec::StudySpec& spec,
                         const std::filesystem::path& folder) {
  study::Learned out{row.name, row.hash, {}, {}};
  for (const storage::StoredTrial& trial : storage::read_trials(folder, row.name, earlier.space)) {
    std::string why = unfit(trial);
    space::Carried point;
    if (why.empty()) point = space::carried(earlier.space, trial.values, spec.space);
    if (why.empty()) why = point.outside;
    if (!why.empty()) {
      ++out.left_out[why];
      continue;
    }
    const bool is_whole = trial.state != TrialState::pruned;
    study::EarlierTrial taken{trial.number, std::move(point.values), trial.objectives, trial.steps, is_whole};
    if (trial.state == TrialState::failed) taken.objectives.clear();
    out.trials.push_back(std::move(taken));
  }
  return out;
}

bool has_nothing_common(const std::vector<space::Meeting>& meetings) {
  return std::all_of(meetings.begin(), meetings.end(), [](const auto& m) { return m.kind == Kind::missing; });
}

std::string unknown(const std::string& name, const std::filesystem::path& folder) {
  const std::string near = nearest_name(name, storage::Store::names(folder));
  return fmt::format(
      "there is no study '{}' in '{}'{}", name, folder.string(),
      near.empty() ? "; studies of another store cannot be learned from" : fmt::format("; did you mean '{}'?", near));
}

}  // namespace

Lessons learn(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  Lessons lessons;
  std::vector<std::string> faults;
  for (const std::string& name : spec.learn_from) {
    const auto row = storage::Store::find(folder, name);
    if (!row) {
      faults.push_back(unknown(name, folder));
      continue;
    }
    const spec::StudySpec earlier = spec::from_json(row->spec, row->spec_text);
    const auto meetings = space::meetings(earlier.space, spec.space);
    check_meetings(meetings, name, faults, lessons.warnings);
    if (goals_text(earlier.rules) != goals_text(spec.rules))
      faults.push_back(fmt::format("study '{}' was to {}, this one is to {}", name, goals_text(earlier.rules),
                                   goals_text(spec.rules)));
    if (!faults.empty()) continue;
    if (has_nothing_common(meetings)) {
      lessons.studies.push_back({row->name, row->hash, {}, {}});
    } else {
      lessons.studies.push_back(lesson_of(*row, earlier, spec, folder));
    }
  }
  if (faults.empty()) return lessons;
  throw Error(ErrorKind::usage, fmt::format("search.learn_from: {}", fmt::join(faults, "\nsearch.learn_from: ")),
              "a study can learn from those of its store with the same objectives and domains of the same kind");
}

std::string describe(const study::Learned& learned) {
  std::int64_t left = 0;
  std::vector<std::string> reasons;
  for (const auto& [why, count] : learned.left_out) {
    left += count;
    reasons.push_back(fmt::format("{}: {}", why, count));
  }
  const auto taken = static_cast<std::int64_t>(learned.trials.size());
  return fmt::format("{} of {} trials of '{}'{}", taken, taken + left, learned.study,
                     reasons.empty() ? "" : fmt::format(" (left out: {})", fmt::join(reasons, "; ")));
}

}  // namespace dlrun::driver
