// SPDX-License-Identifier: Apache-2.0
// Metrics that are no means as numbers of single examples: against scikit-learn without each of them, and against the
// bootstrap.
#include "train/jackknife.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "statistics/summary.hpp"
#include "support/catch.hpp"
#include "util/random.hpp"

namespace jackknife_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Examples of one output and what is expected of it: a label among the outputs, or a number.
struct Examples {
  std::vector<std::vector<float>> outputs;
  std::vector<float> targets;
  bool has_labels = true;

  SplitSums none(const std::string& metric) const {
    OutputConfig output;
    output.metrics = {metric};
    dataset::Schema data;
    data.classes = has_labels ? std::int64_t(outputs.front().size()) : 0;
    return SplitSums({output}, data, false);
  }

  SplitSums one(std::size_t i, const std::string& metric) const {
    SplitSums sums = none(metric);
    const at::Tensor target = at::full({1}, targets[i]);
    sums.of(0).add_batch({0, 1}, at::tensor(outputs[i]).unsqueeze(0),
                         has_labels ? target.to(at::kLong) : target.unsqueeze(1));
    return sums;
  }
};

std::vector<SplitSums> each_of(const Examples& examples, const std::string& metric) {
  std::vector<SplitSums> all;
  for (std::size_t i = 0; i < examples.targets.size(); ++i) all.push_back(examples.one(i, metric));
  return all;
}

std::vector<float> values_of(const Examples& examples, const std::string& metric) {
  const std::vector<SplitSums> each = each_of(examples, metric);
  SplitSums all = examples.none(metric);
  for (const SplitSums& one : each) all.add(one);
  Jackknife jackknife(metric, all);
  for (const SplitSums& one : each) jackknife.add(one);
  return jackknife.values();
}

Examples three_classes() {
  return {{{2, 1, 0}, {0, 1.5, 1}, {1, 0, 2}, {0.5, 1, 0.25}, {1, 0, 0.5}, {0, 2, 1.75}, {0.25, 0, 1}, {1, 1.25, 0}},
          {0, 1, 2, 0, 2, 1, 2, 1}};
}

Examples numbers() { return {{{1.5}, {1.75}, {3}, {4}, {1}}, {1, 2, 4, 3.5, 0.5}, false}; }

void check_equal(const std::vector<float>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(i);
    CHECK(found[i] == Approx(expected[i]).margin(2e-6));
  }
}

/// Labels and numbers whose outputs are right only now and then.
Examples noisy(bool has_labels) {
  Examples examples;
  examples.has_labels = has_labels;
  RandomStream draws(7, {"jackknife_test"});
  for (int i = 0; i < 250; ++i) {
    const double truth = has_labels ? double(draws.uniform() < 0.4) : 2 * draws.normal();
    const auto output = float(truth + draws.normal());
    examples.outputs.push_back(has_labels ? std::vector<float>{0.5F, output} : std::vector<float>{output});
    examples.targets.push_back(float(truth));
  }
  return examples;
}

double by_jackknife(const Examples& examples, const std::string& metric) {
  const std::vector<float> values = values_of(examples, metric);
  return statistics::standard_deviation({values.begin(), values.end()}) / std::sqrt(double(values.size()));
}

double by_bootstrap(const Examples& examples, const std::string& metric) {
  const std::vector<SplitSums> each = each_of(examples, metric);
  RandomStream draws(8, {"jackknife_test"});
  std::vector<double> found;
  for (int sample = 0; sample < 300; ++sample) {
    SplitSums sums = examples.none(metric);
    for (std::size_t i = 0; i < each.size(); ++i) sums.add(each[draws.below(each.size())]);
    found.push_back(sums.of(0).value(metric));
  }
  return statistics::standard_deviation(found);
}

}  // namespace

// Expected: scikit-learn 1.7's metrics of all examples and of all but one, float64.
TEST_CASE("an example's number is its influence on a metric of classes", "[train][values][jackknife]") {
  const std::vector<std::pair<std::string, std::vector<double>>> cases = {
      {"balanced_accuracy", {1.888889, 0.722222, 1.111111, -0.444444, -0.055556, 0.722222, 1.111111, 0.722222}},
      {"f1_macro", {1.809325, 0.775992, 0.95377, -0.079563, -0.212897, 0.775992, 0.95377, 0.775992}},
      {"mcc", {1.213059, 0.921176, 1.101915, -0.570675, -0.53506, 0.921176, 1.101915, 0.921176}},
      {"kappa", {1.184435, 0.887465, 1.079059, -0.550982, -0.501586, 0.887465, 1.079059, 0.887465}},
      {"auc", {1.366667, 0.861111, 1.133333, 0.588889, 0.433333, 0.861111, 1.133333, 0.822222}},
      {"perplexity", {1.40557, 1.825209, 1.40557, 3.089302, 2.989673, 1.919936, 1.83735, 2.078087}},
      {"ece", {0.580166, 0.698858, 0.580166, -0.235617, -0.261073, -0.220411, 0.702001, -0.25865}}};
  for (const auto& [metric, expected] : cases) {
    INFO(metric);
    check_equal(values_of(three_classes(), metric), expected);
  }
}

TEST_CASE("equal scores count half", "[train][values][jackknife]") {
  const Examples tied{{{0, 1}, {0, 1}, {0, 2}, {0, 0}, {0, 2}, {0, 0.5}}, {1, 0, 1, 0, 0, 1}};
  check_equal(values_of(tied, "auc"), {0.416667, 0.416667, 1.25, 1.666667, -0.416667, 0});
}

TEST_CASE("scores of confident outputs are told apart", "[train][values][jackknife]") {
  const auto auc = [](std::vector<std::vector<float>> rows, const std::vector<std::int64_t>& labels) {
    Ranking ranking;
    for (std::size_t i = 0; i < rows.size(); ++i)
      ranking.add_example(rows[i].data(), std::int64_t(rows[i].size()), labels[i]);
    return *ranking.value("auc");
  };
  CHECK(auc({{0, 20}, {0, 18}}, {1, 0}) == 1);
  CHECK(auc({{0, 18}, {0, 20}}, {1, 0}) == 0);
  CHECK(auc({{20, 0}, {18, 0}}, {0, 1}) == 1);
  CHECK(auc({{40}, {38}}, {1, 0}) == 1);
  CHECK(auc({{40, 0, 1}, {38, 0, 1}}, {0, 1}) == 1);
  CHECK(auc({{60, 0, 1}, {0, 60, 0}, {0, 0, 60}, {0, 58, 0}}, {0, 1, 2, 2}) == 1);
  const Sums scored({"auc"}, 2);
  CHECK(scored.to_json().contains("log_odds"));  // "ranking" of older versions has probabilities
}

TEST_CASE("an example's number is its influence on a metric of numbers", "[train][values][jackknife]") {
  check_equal(values_of(numbers(), "rmse"), {0.491785, 0.346034, 1.189009, 0.491785, 0.491785});
  check_equal(values_of(numbers(), "r2"), {0.80292, 0.726343, 0.588634, 0.839152, 1.068488});
  check_equal(values_of(numbers(), "explained_variance"), {0.866464, 0.771193, 0.362892, 0.902333, 1.129376});
}

TEST_CASE("a metric that needs an example has no numbers", "[train][values][jackknife]") {
  const Examples one_of_a_kind{{{1, 0}, {0, 1}, {1, 0}}, {0, 1, 0}};
  CHECK(std::isnan(values_of(one_of_a_kind, "auc").front()));
}

// The bootstrap's own error is 1 / sqrt(2 * 300) = 4 %.
TEST_CASE("the spread of the numbers is that of the bootstrap", "[train][values][jackknife]") {
  for (const char* metric : {"auc", "mcc", "f1", "balanced_accuracy"}) {
    INFO(metric);
    CHECK(by_jackknife(noisy(true), metric) == Approx(by_bootstrap(noisy(true), metric)).epsilon(0.12));
  }
  for (const char* metric : {"rmse", "r2"}) {
    INFO(metric);
    CHECK(by_jackknife(noisy(false), metric) == Approx(by_bootstrap(noisy(false), metric)).epsilon(0.12));
  }
}

}  // namespace jackknife_test
