// SPDX-License-Identifier: Apache-2.0
// Epochs that a study did not train, by why, and what they would have taken.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/cost.hpp"

namespace dlrun::report {

namespace {

// Queries, each for trial and epochs.

/// Pieces that another study's result stands for.
constexpr const char* kCited =
    "SELECT e.trial, sum(d.to_step - d.from_step) FROM (SELECT DISTINCT trial, replicate, fold, piece FROM dl_edge "
    "WHERE kind = 'cited_from') e JOIN dl_decision d ON d.kind < 2 AND d.trial = e.trial AND d.replicate = e.replicate "
    "AND d.fold = e.fold AND d.piece = e.piece GROUP BY e.trial";

/// Pieces that went on from the one before: trained from the start each would have taken from_step epochs more.
constexpr const char* kContinued =
    "SELECT e.trial, sum(d.from_step) FROM (SELECT DISTINCT trial, replicate, fold, piece FROM dl_edge WHERE kind = "
    "'continued_from') e JOIN dl_decision d ON d.kind < 2 AND d.trial = e.trial AND d.replicate = e.replicate AND "
    "d.fold = e.fold AND d.piece = e.piece GROUP BY e.trial";

constexpr const char* kInherited =
    "SELECT d.trial, sum(d.from_step) FROM dl_decision d JOIN dl_trial t ON t.trial = d.trial WHERE d.kind < 2 AND "
    "d.piece = 0 AND t.donor IS NOT NULL GROUP BY d.trial";

/// Epochs of pieces that another trial had trained; of several attempts once.
constexpr const char* kShared =
    "SELECT trial, sum(epochs) FROM (SELECT e.trial AS trial, max(e.epochs - d.from_step) AS epochs FROM dl_edge e "
    "JOIN dl_decision d ON d.kind < 2 AND d.trial = e.trial AND d.replicate = e.replicate AND d.fold = e.fold AND "
    "d.piece = e.piece WHERE e.kind = 'shared_from' GROUP BY e.trial, e.replicate, e.fold, e.piece) GROUP BY trial";

/// Epochs of all members of a trial `t`.
std::string epochs_of_members(const OpenedStudy& study) {
  return has_members(study) ? "coalesce((SELECT sum(m.epochs) FROM dl_member m WHERE m.trial = t.trial), t.epochs)"
                            : "t.epochs";
}

/// Epochs of all members that pruned trials were spared.
std::string pruned_query(const OpenedStudy& study) {
  return fmt::format(
      "SELECT t.trial, json_extract(s.spec, '$.trial.epochs') * coalesce(json_extract(s.spec, '$.trial.replicates'), "
      "1) "
      "* coalesce(json_extract(s.spec, '$.trial.folds'), 1) - {} FROM dl_trial t, dl_study s WHERE t.state = 4",
      epochs_of_members(study));
}

/// Members that began with weights of another study and whose first epoch is not the first.
constexpr const char* kDonated =
    "SELECT f.trial, sum(f.step - 1) FROM (SELECT trial, replicate, fold, min(step) AS step FROM dl_metric WHERE "
    "committed = 1 GROUP BY trial, replicate, fold) f JOIN (SELECT DISTINCT trial, replicate, fold FROM dl_start) s ON "
    "s.trial = f.trial AND s.replicate = f.replicate AND s.fold = f.fold GROUP BY f.trial";

/// Epochs that have committed values of their own, cited ones too.
constexpr const char* kCounted =
    "SELECT trial, count(*) FROM (SELECT DISTINCT trial, replicate, fold, step FROM dl_metric WHERE committed = 1 AND "
    "metric NOT IN (SELECT metric FROM dl_metric_name WHERE name LIKE 'test.%')) GROUP BY trial";

/// How far all members came from where they began, also where a program reports every tenth epoch.
std::string came_query(const OpenedStudy& study) {
  return fmt::format(
      "SELECT t.trial, {} - coalesce(d.begun, 0) FROM dl_trial t LEFT JOIN (SELECT trial, sum(from_step) AS begun FROM "
      "dl_decision WHERE kind < 2 AND piece = 0 GROUP BY trial) d ON d.trial = t.trial",
      epochs_of_members(study));
}

using Epochs = std::map<std::int64_t, std::int64_t>;  ///< by trial

Epochs epochs_of(const OpenedStudy& study, const std::string& sql) {
  Epochs epochs;
  storage::Statement row = study.query(sql);
  while (row.step()) epochs[row.integer(0)] = row.integer(1);
  return epochs;
}

Epochs shared_epochs(const OpenedStudy& study) {
  return study.has_column("v_edges", "epochs") ? epochs_of(study, kShared) : Epochs();
}

std::int64_t sum_of(const Epochs& epochs) {
  std::int64_t sum = 0;
  for (const auto& [trial, count] : epochs) sum += count;
  return sum;
}

/// Seconds and joules for an epoch; none: not known.
struct Rate {
  std::optional<double> seconds, joules;
};

/// Epochs of completed attempts (without epochs that others had trained), to where each ended, their seconds, and
/// epochs and joules of those whose joules are known. How many are those of an attempt that went on from an earlier
/// one, nothing says.
std::string taken_query(const OpenedStudy& study) {
  const char* const shared =
      "(SELECT max(e.epochs - p.from_step) FROM dl_edge e WHERE e.kind = 'shared_from' AND e.trial = a.trial AND "
      "e.replicate = a.replicate AND e.fold = a.fold AND e.piece = a.piece AND e.attempt = a.attempt)";
  return fmt::format(
      "SELECT trial, sum(epochs), sum(seconds), sum(iif(joules IS NULL, 0, epochs)), sum(joules) FROM (SELECT trial, "
      "seconds, joules, max(0, iif(step > from_step, min(step, to_step), to_step) - from_step - coalesce(shared, 0)) "
      "AS "
      "epochs FROM (SELECT a.trial, a.seconds, p.from_step, p.to_step, {} AS joules, {} AS shared, max({}, coalesce("
      "(SELECT max(m.step) FROM dl_metric m WHERE m.trial = a.trial AND m.replicate = a.replicate AND m.fold = a.fold "
      "AND m.committed = 1), 0)) AS step FROM v_attempts a JOIN v_pieces p USING (trial, replicate, fold, piece) JOIN "
      "dl_trial t USING (trial) WHERE a.state = 'completed' AND a.worker IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
      "dl_edge e WHERE e.kind = 'resumed_from' AND e.trial = a.trial AND e.replicate = a.replicate AND e.fold = a.fold "
      "AND e.piece = a.piece AND e.attempt = a.attempt))) GROUP BY trial",
      study.has_column("v_attempts", "joules") ? "a.joules" : "NULL",
      study.has_column("v_edges", "epochs") ? shared : "NULL",
      has_members(study) ? "coalesce((SELECT m.epochs FROM dl_member m WHERE m.trial = a.trial AND m.replicate = "
                           "a.replicate AND m.fold = a.fold), t.epochs)"
                         : "t.epochs");
}

/// An epoch of each trial that trained some, and of the study as a whole.
class Rates {
 public:
  Rates() = default;  ///< for a study that saved nothing

  explicit Rates(const OpenedStudy& study) {
    Sums all;
    storage::Statement row = study.query(taken_query(study));
    while (row.step()) {
      const Sums sums{row.real(1), row.real(2), row.real(3), row.real(4)};
      of_trial_[row.integer(0)] = sums.rate();
      all.add(sums);
    }
    of_all_ = all.rate();
  }

  /// Seconds and joules that these epochs would have taken; none where it is not known of any trial.
  Rate estimate(const Epochs& epochs) const {
    Rate sum{0.0, 0.0};
    for (const auto& [trial, count] : epochs) {
      const auto found = of_trial_.find(trial);
      const Rate own = found == of_trial_.end() ? Rate() : found->second;
      add_times(sum.seconds, own.seconds ? own.seconds : of_all_.seconds, double(count));
      add_times(sum.joules, own.joules ? own.joules : of_all_.joules, double(count));
    }
    return sum;
  }

 private:
  struct Sums {
    double epochs = 0, seconds = 0, measured = 0, joules = 0;
    void add(const Sums& other) {
      epochs += other.epochs;
      seconds += other.seconds;
      measured += other.measured;
      joules += other.joules;
    }
    Rate rate() const {
      Rate out;
      if (epochs > 0) out.seconds = seconds / epochs;
      if (measured > 0) out.joules = joules / measured;
      return out;
    }
  };

  static void add_times(std::optional<double>& sum, const std::optional<double>& one, double count) {
    sum = sum && one ? std::optional(*sum + *one * count) : std::nullopt;
  }

  std::map<std::int64_t, Rate> of_trial_;
  Rate of_all_;
};

Json cell_of(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

struct Saving {
  const char* what;
  Epochs epochs;
  const char* meaning;
};

std::vector<Saving> savings_of(const OpenedStudy& study) {
  std::vector<Saving> all{
      {"continued", epochs_of(study, kContinued), "pieces went on from the checkpoint of the rung before"},
      {"cited", epochs_of(study, kCited), "results of earlier studies of the store"},
      {"shared", shared_epochs(study), "trained by another trial of the study that began alike"},
      {"pruned", epochs_of(study, pruned_query(study)), "pruned trials did not go to the end"}};
  if (study.has_column("dl_trial", "donor"))
    all.insert(all.begin() + 1, {"inherited", epochs_of(study, kInherited), "heirs began where their donors were"});
  if (study.has_column("v_starts", "tensor"))
    all.push_back({"donated", epochs_of(study, kDonated), "of other studies' trials, which these went on from"});
  std::erase_if(all, [](const Saving& saving) { return sum_of(saving.epochs) <= 0; });
  return all;
}

}  // namespace

std::int64_t epochs_trained(const OpenedStudy& study) {
  Epochs own = epochs_of(study, kCounted), came = epochs_of(study, came_query(study));
  const Epochs donated = study.has_column("v_starts", "tensor") ? epochs_of(study, kDonated) : Epochs();
  for (const auto& [trial, epochs] : donated) came[trial] -= epochs;
  for (const auto& [trial, epochs] : came) own[trial] = std::max(own[trial], epochs);
  return sum_of(own) - sum_of(epochs_of(study, kCited)) - sum_of(shared_epochs(study));
}

void add_saved(const OpenedStudy& study, std::vector<Table>& tables) {
  Table saved{study.name + ": what was not trained again", {"what", "value", "unit", "meaning"}, {}};
  Table estimated{study.name + ": what that would have taken, an estimate", {"what", "seconds", "joules", "from"}, {}};
  const std::vector<Saving> savings = savings_of(study);
  const Rates rates = savings.empty() ? Rates() : Rates(study);
  for (const Saving& saving : savings) {
    saved.rows.push_back({saving.what, sum_of(saving.epochs), "epochs", saving.meaning});
    const Rate taken = rates.estimate(saving.epochs);
    if (!taken.seconds) continue;
    estimated.rows.push_back({saving.what, cell_of(taken.seconds), cell_of(taken.joules),
                              "the mean epoch of each trial, of the study for one that trained none"});
  }
  storage::Statement resumed = study.query("SELECT count(*) FROM dl_edge WHERE kind = 'resumed_from'");
  if (resumed.step() && resumed.integer(0) > 0)
    saved.rows.push_back(
        {"resumed", resumed.integer(0), "attempts", "went on from the last checkpoint of one that did not end"});
  tables.push_back(std::move(saved));
  if (!estimated.rows.empty()) tables.push_back(std::move(estimated));
}

}  // namespace dlrun::report
