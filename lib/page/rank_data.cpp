// SPDX-License-Identifier: Apache-2.0
#include "page/rank_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/numbers.hpp"
#include "report/rank_costs.hpp"

namespace dlrun::page {

namespace {

constexpr std::size_t kMostRankRows = 4'000;

/// Trials by number, but the best one first.
std::vector<std::int64_t> best_first(const report::OpenedStudy& study) {
  std::vector<std::int64_t> trials = report::trials_with_ranks(study);
  const report::BestTrial best = report::best_trial_of(study);
  if (!best.trial.is_number()) return trials;
  const auto found = std::find(trials.begin(), trials.end(), best.trial.get<std::int64_t>());
  if (found != trials.end()) std::rotate(trials.begin(), found, found + 1);
  return trials;
}

Json optional_number(const std::optional<double>& value) { return value ? data_number(*value) : Json(); }

Json node_json(const report::RankCosts& one, std::size_t trial) {
  Json out{trial, one.name(), one.gradients};
  for (const double value : {one.computing, one.applying, one.transferring, one.waiting, one.sent, one.received})
    out.push_back(data_number(value));
  out.push_back(optional_number(one.staleness));
  out.push_back(optional_number(one.most_stale));
  return out;
}

}  // namespace

Json ranks_json(const report::OpenedStudy& study) {
  if (!report::has_ranks(study)) return nullptr;
  Json trials = Json::array(), nodes = Json::array();
  const std::vector<std::int64_t> all = best_first(study);
  bool is_virtual = false;
  for (const std::int64_t trial : all) {
    if (nodes.size() > kMostRankRows) break;
    for (const report::RankCosts& one : report::rank_costs(study, trial)) {
      nodes.push_back(node_json(one, trials.size()));
      is_virtual = one.is_virtual;
    }
    trials.push_back(trial);
  }
  const std::string said = trials.size() < all.size() ? fmt::format("{} of {} trials are shown, the best among them",
                                                                    trials.size(), all.size())
                                                      : "";
  return {{"time", is_virtual ? "virtual" : "measured"}, {"trials", trials}, {"said", said}, {"nodes", nodes}};
}

}  // namespace dlrun::page
