// SPDX-License-Identifier: Apache-2.0
// Why a trial is what it is: its decisions, and what the last of them was held against.
#include <fmt/format.h>

#include <algorithm>

#include "report/opened.hpp"
#include "study/types.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

using study::DecisionKind;

constexpr std::size_t kBestShown = 5;        ///< best rivals
constexpr std::size_t kNeighboursShown = 2;  ///< neighbours shown before and behind the trial

/// A decision that judged the trial at a rung.
struct RungVerdict {
  std::int64_t number = 0;
  std::int64_t at = 0;
  std::int64_t epoch = 0;
};

std::string epochs_text(std::int64_t from, std::int64_t to) {
  return from == to ? std::to_string(to) : fmt::format("{} to {}", from, to);
}

const char* what(DecisionKind kind, bool is_next_member) {
  if (is_next_member) return "next member";
  switch (kind) {
    case DecisionKind::start: return "values proposed";
    case DecisionKind::go_on: return "went on";
    case DecisionKind::prune: return "stopped";
    default: return "search ended";
  }
}

/// "0.91 is the mean of 5 members, 95 % from 0.89 to 0.93"; empty: of one member.
std::string interval_text(const OpenedStudy& study, std::int64_t number) {
  if (!has_members(study)) return {};
  storage::Statement row = study.query("SELECT objective, members, low, high FROM dl_trial WHERE trial = ?");
  if (!row.bind(number).step() || row.is_null(0) || row.is_null(2)) return {};
  return fmt::format("{:.6g} is the mean of {} members, 95 % from {:.6g} to {:.6g}", row.real(0), row.integer(1),
                     row.real(2), row.real(3));
}

/// How the trial stands, with the words its row keeps.
std::vector<Json> outcome_of(const OpenedStudy& study, std::int64_t number) {
  storage::Statement row = study.query("SELECT state, epochs, cause, message FROM v_trials WHERE trial = ?");
  row.bind(number).step();
  std::string why = row.is_null(2) ? "" : std::string(row.text(2));
  if (!row.is_null(3) && !row.text(3).empty()) why += (why.empty() ? "" : ": ") + std::string(row.text(3));
  const std::string interval = interval_text(study, number);
  if (!interval.empty()) why += (why.empty() ? "" : "; ") + interval;
  return {Json(), Json(), std::to_string(row.integer(1)), "now " + std::string(row.text(0)),
          why.empty() ? Json() : Json(why)};
}

/// SQL for the sampler of the spec that was in force at the decision `d`: an amendment may have brought another one.
std::string sampler_sql(const OpenedStudy& study) {
  const std::string sampler =
      "coalesce(json_extract(spec, '$.search.sampler.op'), json_extract(spec, '$.search.sampler'))";
  if (!study.has_column("dl_spec", "version")) return "(SELECT " + sampler + " FROM dl_study)";
  return fmt::format(
      "(SELECT {} FROM dl_spec WHERE version = (SELECT count(*) FROM dl_decision a WHERE a.kind = {} AND a.number < "
      "d.number))",
      sampler, int(DecisionKind::amend));
}

Table reasons_of(const OpenedStudy& study, std::int64_t number) {
  Table table{fmt::format("why trial {}/{} is what it is", study.name, number),
              {"decision", "at", "epochs", "what", "why"},
              {}};
  storage::Statement rows = study.query(
      "SELECT number, at, kind, from_step, to_step, coalesce(nullif(reason, ''), iif(kind = 0, 'sampler ' || " +
      sampler_sql(study) +
      ", NULL)), kind = 1 AND replicate + fold > 0 FROM dl_decision d WHERE trial = ? ORDER BY number");
  rows.bind(number);
  const Json donor = donor_of(study, number);
  while (rows.step()) {
    const auto kind = DecisionKind(rows.integer(2));
    const bool is_heir = kind == DecisionKind::start && !donor.is_null();
    table.rows.push_back({cell(rows, 0), cell(rows, 1), epochs_text(rows.integer(3), rows.integer(4)),
                          is_heir ? "heir of trial " + to_text(donor) : what(kind, rows.integer(6) != 0),
                          cell(rows, 5)});
  }
  table.rows.push_back(outcome_of(study, number));
  return table;
}

/// Versions of the spec, and whether the trial began before or after each, where there was more than one.
Table versions_of(const OpenedStudy& study, std::int64_t number) {
  Table table{"the study's spec was amended", {"version", "decision", "changes", "this_trial"}, {}};
  if (!study.has_column("v_versions", "version")) return table;
  storage::Statement rows = study.query(
      "SELECT version, decision, changes, (SELECT min(number) FROM dl_decision WHERE kind = 0 AND trial = ?) FROM "
      "v_versions WHERE version > 0 ORDER BY version");
  rows.bind(number);
  while (rows.step()) {
    std::string changes;
    for (const Json& change : Json::parse(rows.text(2))) {
      changes += (changes.empty() ? "" : "; ") + change.get<std::string>();
    }
    const char* when = rows.is_null(1) || rows.integer(3) < rows.integer(1) ? "before" : "after";
    table.rows.push_back({rows.integer(0), cell(rows, 1), changes, when});
  }
  return table;
}

/// Decision that stopped the trial, or else let it go on last, or else found it waiting at the end of the search.
std::optional<RungVerdict> verdict_of(const OpenedStudy& study, std::int64_t number) {
  storage::Statement row = study.query(
      "SELECT number, at, from_step, kind FROM dl_decision WHERE trial = ?1 AND from_step > 0 AND kind IN (1, 3) "
      "ORDER BY from_step DESC, kind DESC, number LIMIT 1");
  std::optional<RungVerdict> last;
  if (row.bind(number).step()) last = RungVerdict{row.integer(0), row.integer(1), row.integer(2)};
  storage::Statement end = study.query(
      "SELECT d.number, d.at, t.epochs FROM dl_decision d, dl_trial t "
      "WHERE d.kind = 4 AND t.trial = ?1 AND t.state = ?2 AND substr(t.message, 1, length(?3)) = ?3 ORDER BY d.number "
      "DESC LIMIT "
      "1");
  const bool was_left = end.bind(number, int(trial::TrialState::pruned), study::kLeftBehind).step();
  return was_left ? RungVerdict{end.integer(0), end.integer(1), end.integer(2)} : last;
}

/// Trials with a result at the verdict's rung that it saw, best first: rank, trial, objective there, did it go on by
/// then. In order: arrival every result there counts as seen.
Table rivals_of(const OpenedStudy& study, const RungVerdict& verdict) {
  storage::Statement spec = study.query("SELECT spec FROM dl_study");
  spec.step();
  const Json json = Json::parse(spec.text(0));
  const bool is_arrival = json.at("search").at("order") == "arrival";
  const Json& objective = json.at("objective");
  const bool is_best = (objective.is_array() ? objective.at(0) : objective).at("at") == "best";
  const char* direction = study.maximize ? "DESC" : "ASC";
  const std::string value = fmt::format(  // the mean over members of each one's best, or last
      "(SELECT avg(value) FROM (SELECT m.value AS value, {} FROM v_metrics m WHERE m.trial = p.trial AND "
      "m.metric = ?1 AND m.step <= ?2 AND m.committed = 1 AND m.kind = 'finite' GROUP BY m.replicate, m.fold))",
      is_best ? (study.maximize ? "max(m.value)" : "min(m.value)") : "max(m.step)");
  storage::Statement rows = study.query(fmt::format(
      "SELECT row_number() OVER (ORDER BY value IS NULL, value {0}, trial) AS rank, trial, value, went_on FROM "
      "(SELECT p.trial AS trial, {1} AS value, EXISTS (SELECT 1 FROM dl_decision g WHERE g.kind = 1 AND "
      "g.trial = p.trial AND g.from_step = ?2 AND g.number <= ?3) AS went_on FROM dl_decision p "
      "WHERE p.kind < 2 AND p.to_step = ?2 AND p.number < ?3 "
      "GROUP BY p.trial HAVING ?4 OR max(p.\"end\") + (SELECT slack FROM dl_study) <= ?5) ORDER BY rank",
      direction, value));
  rows.bind(study.metric, verdict.epoch, verdict.number, int(is_arrival), verdict.at);
  Table table{fmt::format("results at epoch {} that decision {} saw{}", verdict.epoch, verdict.number,
                          study.further.empty() ? "" : ", by the first objective"),
              {"rank", "trial", study.metric, "went_on"},
              {}};
  while (rows.step()) {
    table.rows.push_back({cell(rows, 0), cell(rows, 1), cell(rows, 2), rows.integer(3) != 0 ? "yes" : "no"});
  }
  return table;
}

/// Keeps only the best and the trial's neighbours if there are many rivals; ranks show the gap.
void shorten(Table& table, std::int64_t number) {
  const auto own =
      std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[1] == number; });
  const auto place = std::size_t(own - table.rows.begin());
  std::vector<std::vector<Json>> kept;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_near = i + kNeighboursShown >= place && i <= place + kNeighboursShown;
    if (i < kBestShown || is_near) kept.push_back(std::move(table.rows[i]));
  }
  if (kept.size() < table.rows.size()) table.title += fmt::format(" ({} of {})", kept.size(), table.rows.size());
  table.rows = std::move(kept);
}

/// Earlier studies that the sampler had learned from before the first trial.
Table lessons_of(const OpenedStudy& study) {
  Table table{"earlier studies that the sampler learned from", {"study", "taken", "left_out", "why"}, {}};
  storage::Statement rows = study.query("SELECT body FROM dl_log WHERE kind = 8 ORDER BY seq");
  while (rows.step()) {
    const Json body = parse_json(rows.text(0), "what was learned");
    std::int64_t left = 0;
    std::string why;
    for (const auto& [reason, count] : body.at("left_out").items()) {
      left += count.get<std::int64_t>();
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", reason, count.get<std::int64_t>());
    }
    table.rows.push_back({body.at("study"), body.at("trials").size(), left, why.empty() ? Json() : Json(why)});
  }
  return table;
}

}  // namespace

std::vector<Table> explanation_of(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  std::vector<Table> tables = {reasons_of(study, number)};
  if (!donor_of(study, number).is_null()) tables.push_back(schedule_of(study, number));
  if (Table looks = looks_of(study, number); !looks.rows.empty()) tables.push_back(std::move(looks));
  if (Table lessons = lessons_of(study); !lessons.rows.empty()) tables.push_back(std::move(lessons));
  if (Table versions = versions_of(study, number); !versions.rows.empty()) tables.push_back(std::move(versions));
  const auto verdict = verdict_of(study, number);
  if (!verdict) return tables;
  tables.push_back(rivals_of(study, *verdict));
  shorten(tables.back(), number);
  if (tables.back().rows.empty()) tables.pop_back();
  return tables;
}

}  // namespace dlrun::report
