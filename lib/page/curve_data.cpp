// SPDX-License-Identifier: Apache-2.0
#include "page/curve_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlrun::page {

namespace {

using report::OpenedStudy;

constexpr std::size_t kBest = 30, kOthers = 30;  ///< trials whose curves are shown
constexpr std::size_t kPoints = 300;             ///< points of a curve at most: a plot has no more pixels for it

struct Candidate {
  std::int64_t trial = 0, state = 0;
  double cost = 0;
};

/// Trials that have values of two epochs or more, the best first.
std::vector<Candidate> candidates_of(const OpenedStudy& study) {
  std::vector<Candidate> all;
  storage::Statement rows =
      study.query("SELECT trial, state, objective FROM dl_trial WHERE epochs > 1 AND objective IS NOT NULL");
  while (rows.step()) all.push_back({rows.integer(0), rows.integer(1), study.maximize ? -rows.real(2) : rows.real(2)});
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return all;
}

/// The best ones, and so many of the others at equal distances by rank.
std::vector<Candidate> sample_of(const std::vector<Candidate>& all) {
  if (all.size() <= kBest + kOthers) return all;
  std::vector<Candidate> sample(all.begin(), all.begin() + kBest);
  const std::size_t rest = all.size() - kBest;
  for (std::size_t i = 0; i < kOthers; ++i) sample.push_back(all[kBest + (i + 1) * rest / kOthers - 1]);
  return sample;
}

Json thinned(const Json& list) {
  if (list.size() <= kPoints) return list;
  Json out = Json::array();
  for (std::size_t i = 0; i < kPoints; ++i) out.push_back(list[i * (list.size() - 1) / (kPoints - 1)]);
  return out;
}

Json run_of(storage::Statement& rows, const OpenedStudy& study, const Candidate& one) {
  Json steps = Json::array(), values = Json::array();
  rows.bind(one.trial, study.metric);
  while (rows.step()) {
    steps.push_back(rows.integer(0));
    values.push_back(std::stod(fmt::format("{:.7g}", rows.real(1))));
  }
  return {{"trial", one.trial}, {"state", one.state}, {"steps", thinned(steps)}, {"values", thinned(values)}};
}

std::string shown_text(std::size_t shown, std::size_t all) {
  if (shown == all) return fmt::format("{} trials with two epochs or more", all);
  return fmt::format("the best {} of {} trials, and {} of the others, evenly by rank", kBest, all, kOthers);
}

}  // namespace

Json curves_json(const OpenedStudy& study) {
  const std::vector<Candidate> all = candidates_of(study);
  const std::vector<Candidate> sample = sample_of(all);
  storage::Statement rows = study.query(
      "SELECT step, avg(value) FROM dl_metric WHERE trial = ? AND metric = (SELECT metric FROM dl_metric_name WHERE "
      "name = ?) AND value IS NOT NULL GROUP BY step ORDER BY step");
  Json runs = Json::array();
  for (const Candidate& one : sample) {
    Json run = run_of(rows, study, one);
    if (run["steps"].size() > 1) runs.push_back(std::move(run));
  }
  if (runs.empty()) return nullptr;
  return {{"metric", study.metric}, {"shown", shown_text(sample.size(), all.size())}, {"runs", std::move(runs)}};
}

}  // namespace dlrun::page
