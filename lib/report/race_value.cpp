// SPDX-License-Identifier: Apache-2.0
// True value of a race's winner.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ablation/race.hpp"
#include "recipe/metric_share.hpp"
#include "report/race.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "statistics/winner.hpp"

namespace dlrun::report {

namespace {

using statistics::Noise;
using storage::WinnerValue;

/// Half of a normal 95 % interval, in standard errors.
constexpr double kReach = 1.959964;

/// Examples of a split; 0: the number is unknown.
std::int64_t examples_of(const AblationStudy& study, const char* split) {
  return study.spec.value("derived", Json::object()).value("data", Json::object()).value(split, std::int64_t(0));
}

/// Sampling error of a share of so many examples; 0 for metrics that are none, and where the number is unknown.
double error_of_share(const std::string& metric, double share, std::int64_t examples) {
  if (!recipe::is_of_hits(metric) || examples == 0) return 0;
  return std::sqrt(std::max(0.0, share * (1 - share)) / double(examples));
}

std::string test_metric_of(const AblationStudy& study) {
  return study.metric.starts_with("val.") ? "test." + study.metric.substr(4) : std::string();
}

/// The metric on the test split, of each of the variant's runs.
std::vector<double> tested(const OpenedStudy& opened, const AblationVariant& variant, const std::string& metric) {
  std::vector<double> values;
  storage::Statement row = opened.query(
      "SELECT m.value FROM dl_metric m JOIN dl_metric_name n ON n.metric = m.metric WHERE m.trial = ? AND n.name = ? "
      "ORDER BY m.step DESC LIMIT 1");
  for (const AblationCell& cell : variant.cells) {
    if (!cell.metric) continue;
    if (row.bind(cell.trial, metric).step() && !row.is_null(0)) values.push_back(row.real(0));
    row.reset();
  }
  return values;
}

/// Folds of groups have a test split of their own, beside that of the search whose trials compete.
std::string part_of_tests(const AblationStudy& study, const AblationVariant& winner) {
  const Json data = study.spec.value("trial", Json::object()).value("data", Json::object());
  const Json split = data.value("split", Json());
  const bool has_groups = study.plan.folds > 0 && split.is_object() && !split.value("group", Json()).is_null();
  if (!has_groups || !ablation::contender_trial(study.plan.section, winner.id))
    return "which took no part in any choice";
  return "which took no part in the race; in folds of groups they are others than the search's, which may have trained "
         "on them and chosen by them";
}

/// The mean over models, with the luck of their seeds (or folds) and of the test examples.
std::optional<WinnerValue> by_test(const OpenedStudy& opened, const AblationStudy& study,
                                   const AblationVariant& winner) {
  const std::string metric = test_metric_of(study);
  const std::vector<double> values = metric.empty() ? std::vector<double>() : tested(opened, winner, metric);
  const auto interval = statistics::t_interval(values);
  if (!interval) return std::nullopt;
  const std::int64_t examples = examples_of(study, "test");
  const double rows = kReach * error_of_share(metric, interval->mean, examples);
  const double reach = std::hypot(interval->high - interval->mean, rows);
  double low = interval->mean - reach, high = interval->mean + reach;
  const auto is_within_one = [](double value) { return value >= 0 && value <= 1; };  // programs may count in percent
  if (recipe::is_share(metric) && std::all_of(values.begin(), values.end(), is_within_one)) {
    low = std::max(low, 0.0);
    high = std::min(high, 1.0);
  }
  return WinnerValue{metric, interval->mean, low, high,
                     fmt::format("the mean of {} models on {}, {}{}", interval->n,
                                 examples > 0 ? fmt::format("{} test examples", examples) : "what the program tests on",
                                 part_of_tests(study, winner),
                                 rows > 0 ? "" : " (the interval is of the models alone, not of the examples)")};
}

/// Noise in the mean of so many runs, as the contenders tell it that have the most.
std::optional<Noise> luck_of(const std::vector<std::vector<double>>& runs, std::size_t of_winner) {
  std::vector<std::size_t> sizes;
  for (const auto& one : runs) sizes.push_back(one.size());
  std::sort(sizes.rbegin(), sizes.rend());
  if (sizes.size() < 2 || sizes[1] < 2) return std::nullopt;
  const std::size_t common = sizes[1];  // two contenders at least have so many
  std::vector<std::vector<double>> members;
  for (const auto& one : runs) {
    if (one.size() >= common) members.emplace_back(one.begin(), one.begin() + std::ptrdiff_t(common));
  }
  std::optional<Noise> luck = statistics::luck_of_members(members);
  const double fewer = std::sqrt(double(common) / double(of_winner));
  if (luck) *luck = {luck->own * fewer, luck->shared * fewer, luck->degrees};
  return luck;
}

/// The mean of its runs, without the luck of having been chosen among these contenders. A mean above the leader's is of
/// one that dropped out, over fewer and easier runs: it could not be chosen.
std::optional<WinnerValue> shrunken(const AblationStudy& study, std::size_t leader) {
  const double sign = study.maximize ? 1 : -1;
  const std::vector<double> own = measured_of(study.variants[leader]);
  const double highest = sign * statistics::mean(own);
  std::vector<std::vector<double>> runs;
  std::vector<double> means;
  for (const AblationVariant& variant : study.variants) {
    const std::vector<double> measured = measured_of(variant);
    if (measured.empty()) continue;
    runs.push_back(measured);
    const double mean = sign * statistics::mean(measured);
    if (mean <= highest) means.push_back(mean);
  }
  std::optional<Noise> luck = luck_of(runs, own.size());
  if (!luck) return std::nullopt;
  if (study.plan.folds == 0)  // folds differ in their rows, so their spread has that luck
    luck->shared =
        std::hypot(luck->shared, error_of_share(study.metric, statistics::mean(own), examples_of(study, "val")));
  const statistics::Shrunken found = statistics::shrunken_best(means, *luck);
  const bool is_up = study.maximize;
  const bool is_from_search = ablation::contender_trial(study.plan.section, study.variants[leader].id).has_value();
  return WinnerValue{study.metric, sign * found.value, sign * (is_up ? found.low : found.high),
                     sign * (is_up ? found.high : found.low),
                     is_from_search ? "without the luck of having been chosen here; the search chose the contenders by "
                                      "validation rows too, which may still flatter it (a test split would not)"
                                    : "without the luck of having been chosen here"};
}

}  // namespace

std::optional<WinnerValue> raced_value(const OpenedStudy& opened, const AblationStudy& study,
                                       const statistics::Race& race) {
  if (race.end.empty() || !race.leader) return std::nullopt;
  if (only_repeats(study, race)) {
    const double value = statistics::mean(measured_of(study.variants[*race.leader]));
    return WinnerValue{study.metric, value, value, value, kNoLuck};
  }
  const auto by_examples = by_test(opened, study, study.variants[*race.leader]);
  return by_examples ? by_examples : shrunken(study, *race.leader);
}

std::optional<storage::RacedWinner> raced(const std::filesystem::path& store, const std::string& race) {
  const OpenedStudy opened = open_study(store, race);
  const Snapshot snapshot(opened);
  const AblationStudy study = ablation_study(opened);
  const statistics::Race over = race_of(study);
  if (over.end.empty() || !over.leader) return std::nullopt;
  const AblationVariant& winner = study.variants[*over.leader];
  const auto trial = ablation::contender_trial(study.plan.section, winner.id);
  if (!trial) return std::nullopt;
  const std::vector<double> runs = measured_of(winner);
  return storage::RacedWinner{trial::TrialId(*trial),
                              race,
                              std::int64_t(study.variants.size()),
                              std::int64_t(runs.size()),
                              statistics::mean(runs),
                              raced_value(opened, study, over)};
}

}  // namespace dlrun::report
