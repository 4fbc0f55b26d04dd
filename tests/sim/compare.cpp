// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>

#include "util/json.hpp"

namespace dlrun::sim {

namespace {

std::string line(const Scenario& s, const study::Decision& d) {
  constexpr std::array kKinds{"start", "go_on", "idle", "prune", "finish", "amend"};
  const std::string values = d.values.empty() ? "" : params(s, d.values);
  return fmt::format("{} {} lane {} of {} at {} to {} {}.{} epochs {} to {} {} ({})", d.number,
                     kKinds[std::size_t(d.kind)], d.lane, d.lanes, d.at, d.end, trial::describe(d.key.member),
                     d.key.piece, d.from_step, d.to_step, values, d.reason);
}

std::string goals(const study::TrialView& v) {
  if (v.further.empty() && !v.violation) return {};
  return fmt::format(" and {} beyond {}", fmt::join(v.further, ", "), v.violation.value_or(0));
}

std::string line(const Scenario& s, const study::TrialView& v) {
  return fmt::format("trial {} {} {} objective {} of {} ({}) after {} because {}", v.id.value,
                     trial::to_string(v.state), params(s, v.values),
                     v.objective ? fmt::format("{}", *v.objective) : "none", v.objective_step,
                     v.interval ? fmt::format("{} to {}", v.interval->low, v.interval->high) : "", v.steps,
                     trial::to_string(v.cause)) +
         goals(v);
}

std::string line(const trial::PieceResult& r) {
  std::string text =
      fmt::format("result {}.{} {}", trial::describe(r.key.member), r.key.piece, trial::to_string(r.outcome));
  for (const auto& report : r.reports) {
    for (const auto& metric : report.metrics) text += fmt::format(" {} {} {}", report.step, metric.name, metric.value);
  }
  for (const auto& artifact : r.artifacts) text += " " + artifact.sha256;
  return text;
}

/// The committed result of each piece, last attempt.
std::map<trial::PieceKey, std::string> results(const Run& run) {
  std::map<trial::PieceKey, std::string> lines;
  for (const LogRow& row : run.log) {
    const auto* event = std::get_if<study::Event>(&row);
    const auto* ended = event ? std::get_if<study::PieceEnded>(event) : nullptr;
    if (ended) lines[ended->result.key] = line(ended->result);
  }
  return lines;
}

std::vector<std::string> trials(const Scenario& s, const study::Study& study) {
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) lines.push_back(line(s, study.trial(trial::TrialId(i))));
  const auto best = study.best();
  lines.push_back(fmt::format("best {} because {}", best ? best->value : -1, study.finish_reason()));
  return lines;
}

/// The whole log, replayed into a fresh study, ends in the same trials.
void check_replay(const Scenario& s, const Run& run, std::vector<std::string>& faults) {
  study::Study study = make_study(s);
  for (const LogRow& row : run.log) {
    if (const auto* event = std::get_if<study::Event>(&row)) study.absorb(*event);
    if (const auto* decision = std::get_if<study::Decision>(&row)) study.apply(*decision);
  }
  if (trials(s, study) != trials(s, *run.study)) faults.emplace_back("replay ends in other trials");
}

}  // namespace

std::vector<std::string> logical_log(const Scenario& s, const Run& run) {
  std::vector<std::string> lines;
  for (const LogRow& row : run.log) {
    if (const auto* decision = std::get_if<study::Decision>(&row)) lines.push_back(line(s, *decision));
  }
  for (const auto& text : trials(s, *run.study)) lines.push_back(text);
  for (const auto& [key, text] : results(run)) lines.push_back(text);
  return lines;
}

namespace {

std::vector<std::string> faults_of(const Scenario& s) {
  const Scenario plain = undisturbed(s);
  const Run expected = World(plain).run();
  const Run run = World(s).run();
  std::vector<std::string> faults = run.faults;
  for (const auto& fault : expected.faults) faults.push_back("undisturbed: " + fault);
  check_replay(s, run, faults);
  const auto a = logical_log(plain, expected), b = logical_log(s, run);
  if (a == b) return faults;
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  faults.push_back(fmt::format("the logs part at line {}:\n  undisturbed: {}\n  disturbed:   {}", x - a.begin(),
                               x == a.end() ? "(end)" : *x, y == b.end() ? "(end)" : *y));
  return faults;
}

}  // namespace

std::vector<std::string> check(const Scenario& s) {
  try {
    return faults_of(s);
  } catch (const std::exception& fault) {
    return {fmt::format("it ends with an exception: {}", fault.what())};
  }
}

}  // namespace dlrun::sim
