// SPDX-License-Identifier: Apache-2.0
// Parameters that the objective depends on, from the trials of a study, and how far one may believe it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importance/fanova.hpp"
#include "importance/ped_anova.hpp"
#include "importance/shapley.hpp"
#include "report/opened.hpp"
#include "spec/space_section.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

using importance::Estimate;
using importance::Evidence;
using importance::Importances;
using trial::TrialState;

constexpr std::int64_t kMostTrials = 5'000;  ///< trials at most: more change nothing that one could see
constexpr std::size_t kPairsShown = 10;
constexpr std::size_t kTrialsByParameter = 10, kLeastTrials = 30;
constexpr std::size_t kLeastBest = 50;  ///< trials, so that five are among the best tenth
constexpr double kLeastExplained = 0.5;

/// Evidence that the shares rest on.
struct Basis {
  Evidence evidence;
  std::size_t partial = 0;    ///< trials with a part of the budget
  std::int64_t left_out = 0;  ///< trials without a result: failed, cancelled, under way
  std::size_t outside = 0;    ///< trials outside of the space, since it was amended
  std::int64_t stride = 1;    ///< one trial in so many was taken
};

space::Value value_of(const space::Parameter& parameter, double stored) {
  if (parameter.type == space::Type::real) return stored;
  if (parameter.type == space::Type::integer) return std::int64_t(stored);
  return space::Choice{std::uint32_t(stored)};
}

std::vector<space::Values> values_of(const OpenedStudy& study, const space::Space& space,
                                     const std::vector<std::int64_t>& trials) {
  std::vector<space::Values> all;
  storage::Statement rows = study.query("SELECT parameter, value FROM dl_param WHERE trial = ?");
  for (const std::int64_t trial : trials) {
    space::Values values(space.size());
    rows.bind(trial);
    while (rows.step()) {
      const auto p = std::size_t(rows.integer(0));
      if (p < values.size()) values[p] = value_of(space.parameters()[p], rows.real(1));
    }
    all.push_back(std::move(values));
  }
  return all;
}

/// An amended space may be narrower than it was.
/// @param constraints  of the study: a choice that was given up is forbidden by one
void drop_outside(Basis& basis, const space::Space& constraints) {
  Evidence& e = basis.evidence;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < e.values.size(); ++i) {
    bool is_inside = true;
    for (std::size_t p = 0; p < e.space.size(); ++p) {
      const bool is_set = !std::holds_alternative<std::monostate>(e.values[i][p]);
      is_inside = is_inside && (!is_set || e.space.contains(p, e.values[i][p]));
    }
    if (!is_inside || !constraints.satisfies(e.values[i])) continue;
    e.values[kept] = e.values[i];
    e.objectives[kept] = e.objectives[i];
    e.budgets[kept++] = e.budgets[i];
  }
  basis.outside = e.values.size() - kept;
  basis.partial = static_cast<std::size_t>(std::count_if(
      e.budgets.begin(), e.budgets.begin() + static_cast<std::ptrdiff_t>(kept), [](double b) { return b < 1; }));
  e.values.resize(kept);
  e.objectives.resize(kept);
  e.budgets.resize(kept);
}

/// Trials that completed, and those that were paused or stopped at a rung, with the part of the budget they had.
Basis basis_of(const OpenedStudy& study, std::size_t objective) {
  const Json spec = parse_json(study.database->text("SELECT spec FROM dl_study"), "the study's spec");
  const std::string with_result =
      fmt::format("objective IS NOT NULL AND state IN ({}, {}, {})", int(TrialState::paused),
                  int(TrialState::completed), int(TrialState::pruned));
  const std::int64_t count = study.database->integer("SELECT count(*) FROM dl_trial WHERE " + with_result);
  Basis basis;
  basis.evidence.space = spec::make_space(spec.at("space"));
  basis.left_out = study.database->integer("SELECT count(*) FROM dl_trial") - count;
  basis.stride = (count + kMostTrials - 1) / kMostTrials;
  const auto whole = spec.at("trial").at("epochs").get<double>();
  std::vector<std::int64_t> trials;
  const bool maximize = objective == 0 ? study.maximize : study.further[objective - 1].maximize;
  const std::string value =
      objective == 0
          ? "objective"
          : fmt::format("(SELECT v.value FROM dl_value v WHERE v.trial = dl_trial.trial AND v.objective = {})",
                        objective);
  storage::Statement rows = study.query(
      fmt::format("SELECT trial, state, {}, epochs FROM dl_trial WHERE {} ORDER BY trial", value, with_result));
  for (std::int64_t n = 0; rows.step(); ++n) {
    if (n % basis.stride != 0) continue;
    trials.push_back(rows.integer(0));
    const bool is_whole = rows.integer(1) == int(TrialState::completed);
    basis.evidence.budgets.push_back(is_whole ? 1.0 : std::clamp(rows.real(3) / whole, 0.0, 1.0));
    basis.evidence.objectives.push_back(maximize ? -rows.real(2) : rows.real(2));
  }
  basis.evidence.values = values_of(study, basis.evidence.space, trials);
  drop_outside(basis, spec::make_space(spec.at("space"), spec.value("constraints", Json())));
  return basis;
}

struct Method {
  const char* name;
  const char* meaning;
  Importances (*ask)(const Evidence&);
};

constexpr Method kMethods[] = {
    {"fanova", "share of the objective's variance over the whole space", [](const Evidence& e) { return fanova(e); }},
    {"ped_anova", "share in what tells the best tenth of the trials from all",
     [](const Evidence& e) { return ped_anova(e); }},
    {"shapley", "share in how far predictions move, interactions divided",
     [](const Evidence& e) { return shapley(e); }}};

const Method& method_named(const std::string& name) {
  for (const Method& method : kMethods) {
    if (name == method.name) return method;
  }
  throw Error(ErrorKind::usage, "there is no method '" + name + "'", "methods are fanova, ped_anova, shapley");
}

/// Share rounded to the digits that the intervals can tell.
double shown(double share) { return std::round(share * 1e4) / 1e4; }

Json active_trials(const Evidence& evidence, std::size_t parameter) {
  return std::count_if(evidence.values.begin(), evidence.values.end(), [&](const space::Values& values) {
    return !std::holds_alternative<std::monostate>(values[parameter]);
  });
}

/// Share of a parameter together with another one, all others summed up.
double with_others(const Importances& found, std::size_t parameter) {
  double sum = 0;
  for (const importance::Pair& pair : found.pairs) {
    if (pair.first == parameter || pair.second == parameter) sum += pair.share.value;
  }
  return sum;
}

/// One more than the number of parameters whose whole interval lies above: those that overlap share a rank.
std::int64_t rank_of(const Importances& found, const Estimate& share) {
  return 1 + std::count_if(found.parameters.begin(), found.parameters.end(),
                           [&](const Estimate& other) { return other.low > share.high; });
}

/// Does any interval lie above another one? A single parameter is its own ranking.
bool has_ranks(const Importances& found) {
  const auto& all = found.parameters;
  return all.size() < 2 ||
         std::any_of(all.begin(), all.end(), [&](const Estimate& share) { return rank_of(found, share) > 1; });
}

/// Parameters as they rank; in the order of the space where nothing ranks them.
std::vector<std::size_t> order_of(const Importances& found) {
  std::vector<std::size_t> order(found.parameters.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  if (!found.tells()) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found.parameters[a].value > found.parameters[b].value; });
  return order;
}

Table parameters_table(const Evidence& evidence, const Importances& found) {
  Table table{"", {"parameter", "rank", "importance", "low", "high", "trials"}, {}};
  if (!found.pairs.empty()) table.columns.insert(table.columns.begin() + 5, "in_pairs");
  for (const std::size_t p : order_of(found)) {
    const Estimate& share = found.parameters[p];
    std::vector<Json> row(table.columns.size());
    row.front() = evidence.space.parameters()[p].name;
    row.back() = active_trials(evidence, p);
    if (found.tells() && has_ranks(found)) row[1] = rank_of(found, share);
    if (found.tells()) row[2] = shown(share.value), row[3] = shown(share.low), row[4] = shown(share.high);
    if (found.tells() && !found.pairs.empty()) row[5] = shown(with_others(found, p));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table pairs_table(const Evidence& evidence, const Importances& found) {
  Table table{"what pairs of parameters add", {"parameter", "with", "importance", "low", "high"}, {}};
  if (!found.tells()) return table;
  std::vector<importance::Pair> pairs = found.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.share.value > b.share.value; });
  if (pairs.size() > kPairsShown) table.title += fmt::format(" ({} of {})", kPairsShown, pairs.size());
  pairs.resize(std::min(pairs.size(), kPairsShown));
  for (const auto& [first, second, share] : pairs) {
    const auto& parameters = evidence.space.parameters();
    table.rows.push_back(
        {parameters[first].name, parameters[second].name, shown(share.value), shown(share.low), shown(share.high)});
  }
  return table;
}

/// Why nothing is ranked; empty where something is.
std::string silence(const Basis& basis, const Importances& found) {
  if (found.tells()) return has_ranks(found) ? "" : "all intervals overlap";
  if (found.gain) {
    return fmt::format("{}the surrogate explains nothing for sure: out-of-bag R2 {:.2f}, lower 95 % end {:.2f}",
                       basis.partial > 0 ? "without the epochs, " : "", found.gain->value, found.gain->low);
  }
  if (found.chance)
    return fmt::format("the best trials differ from all no more than by chance: p {:.2f}, by permutations",
                       *found.chance);
  return "there is nothing to rank by";
}

/// Reasons to doubt the shares.
std::vector<std::string> doubts(const Method& method, const Basis& basis, const Importances& found) {
  std::vector<std::string> out;
  const std::size_t n = basis.evidence.values.size();
  const bool is_ped = std::string_view(method.name) == "ped_anova";
  const std::size_t enough =
      is_ped ? kLeastBest : std::max(kLeastTrials, kTrialsByParameter * basis.evidence.space.size());
  if (n < enough) {
    out.push_back(fmt::format("{} trial{} are too few to tell: {} or more are advised", n, n == 1 ? "" : "s", enough));
  }
  if (n >= 2 && !is_ped && !found.explained) out.emplace_back("all objectives are equal");
  if (found.tells() && found.explained && *found.explained < kLeastExplained) {
    out.push_back(fmt::format("the forest explains {:.0f} % of trials it did not see: its shares may be chance",
                              100 * std::max(0.0, *found.explained)));
  }
  return out;
}

Table basis_table(const Method& method, const Basis& basis, const Importances& found) {
  Table table{"what it rests on", {"fact", "value"}, {}};
  const auto add = [&](const char* fact, Json value) { table.rows.push_back({fact, std::move(value)}); };
  add("method", method.name);
  add("importance", method.meaning);
  add("trials", basis.evidence.values.size());
  if (basis.stride > 1) add("taken", fmt::format("one trial in {}", basis.stride));
  if (basis.partial > 0) add("of them with a part of the budget", basis.partial);
  if (basis.left_out > 0) add("left out, without a result", basis.left_out);
  if (basis.outside > 0) add("left out, outside of the amended space", basis.outside);
  if (found.explained) add("explained of unseen trials (R2)", std::round(*found.explained * 1e3) / 1e3);
  std::size_t moved = 0;
  if (found.explained) importance::fenced(basis.evidence.objectives, &moved);
  if (moved > 0) add("far off, moved to the fence", moved);
  if (const std::string reason = silence(basis, found); !reason.empty()) add("no ranking", reason);
  for (const std::string& doubt : doubts(method, basis, found)) add("warning", doubt);
  return table;
}

std::vector<std::string> metrics_of(const OpenedStudy& study) {
  std::vector<std::string> metrics{study.metric};
  for (const Goal& goal : study.further) metrics.push_back(goal.metric);
  return metrics;
}

/// Numbers of the objectives that are meant.
std::vector<std::size_t> objectives_named(const OpenedStudy& study, const std::string& name) {
  const std::vector<std::string> metrics = metrics_of(study);
  std::vector<std::size_t> all(metrics.size());
  std::iota(all.begin(), all.end(), std::size_t(0));
  if (name.empty()) return {0};
  if (name == "all") return all;
  const auto found = std::find(metrics.begin(), metrics.end(), name);
  if (found != metrics.end()) return {std::size_t(found - metrics.begin())};
  throw Error(ErrorKind::usage, fmt::format("'{}' is no objective of study '{}'", name, study.name),
              fmt::format("there {} {}; or write all", metrics.size() == 1 ? "is" : "are", fmt::join(metrics, ", ")));
}

void add_importance(const OpenedStudy& study, const Method& method, std::size_t objective, std::vector<Table>& tables) {
  const Basis basis = basis_of(study, objective);
  const Importances found = method.ask(basis.evidence);
  tables.push_back(parameters_table(basis.evidence, found));
  tables.back().title = fmt::format("importance for {} ({}){}", metrics_of(study)[objective], method.name,
                                    silence(basis, found).empty() ? "" : ": no ranking");
  if (method.name == std::string_view(kMethods[0].name)) tables.push_back(pairs_table(basis.evidence, found));
  tables.push_back(basis_table(method, basis, found));
}

std::vector<Table> computed(const OpenedStudy& study, const std::string& method, const std::string& objective) {
  std::vector<Table> tables;
  for (const std::size_t number : objectives_named(study, objective))
    add_importance(study, method_named(method), number, tables);
  return tables;
}

}  // namespace

std::vector<Table> importance_of(const OpenedStudy& study, const std::string& method, const std::string& objective) {
  if (!study.remembered) return computed(study, method, objective);
  const std::string key = method + " " + (objective.empty() ? study.metric : objective);
  auto& known = study.remembered->importance;
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = computed(study, method, objective);
}

}  // namespace dlrun::report
