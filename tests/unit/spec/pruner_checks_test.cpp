// SPDX-License-Identifier: Apache-2.0
// Options of pruners at the very bounds of what is allowed.
#include "spec/study_spec.hpp"
#include "unit/spec/study_file.hpp"

namespace pruner_checks_test {

using namespace dlrun;
using namespace dlrun::spec;

namespace {

/// Faults of Branin's study of so many epochs and this pruner; empty: none.
std::string fault(int epochs, const std::string& pruner, const std::string& more = "") {
  std::string text = kBranin;
  text.replace(text.find("branin}"), 7, "branin, epochs: " + std::to_string(epochs) + "}");
  text += "search: {pruner: " + pruner + "}\n" + more;
  return StudyFile(text, "pruners").errors();
}

/// Says the message where there is one.
bool is_fine(const std::string& message) {
  UNSCOPED_INFO(message);
  return message.empty();
}

}  // namespace

TEST_CASE("factors lie on either side of 1, not at it", "[spec][pruner]") {
  const auto factors = [](const std::string& pair) {
    return fault(8, "{op: pbt, population: 4, factors: [" + pair + "]}");
  };
  CHECK(is_fine(factors("0.8, 1.25")));
  CHECK_THAT(factors("1, 1.25"), Contains("one below 1 and one above"));
  CHECK_THAT(factors("0.8, 1"), Contains("one below 1 and one above"));
  CHECK_THAT(factors("1.0, 1.0"), Contains("one below 1 and one above"));
  CHECK_THAT(factors("1.25, 0.8"), Contains("one below 1 and one above"));
}

TEST_CASE("a threshold may be one number, and not cross itself", "[spec][pruner]") {
  CHECK(is_fine(fault(8, "{op: threshold, lower: 2, upper: 2}")));
  CHECK_THAT(fault(8, "{op: threshold, lower: 2.5, upper: 2}"), Contains("lower 2.5 is above upper 2"));
}

TEST_CASE("patience must be able to run out", "[spec][pruner]") {
  CHECK(is_fine(fault(8, "{op: patience, patience: 7}")));
  CHECK_THAT(fault(8, "{op: patience, patience: 8}"), Contains("never runs out in the 8 epochs"));
}

TEST_CASE("the first rung may be the whole trial, not more", "[spec][pruner]") {
  CHECK(is_fine(fault(8, "{op: asha, min_budget: 8}")));
  CHECK_THAT(fault(8, "{op: asha, min_budget: 9}"), Contains("min_budget 9 is above the 8 epochs"));
}

TEST_CASE("a bracket has at least one that goes on", "[spec][pruner]") {
  CHECK(is_fine(fault(9, "{op: successive_halving, eta: 3, bracket: 3}", "limits: {trials: 9}\n")));
  CHECK_THAT(fault(9, "{op: successive_halving, eta: 3, bracket: 2}", "limits: {trials: 9}\n"),
             Contains("of a bracket of 2 none goes on with eta 3"));
}

TEST_CASE("rungs of a population end where its trials do", "[spec][pruner]") {
  CHECK(is_fine(fault(8, "{op: pbt, population: 4, min_budget: 2, interval: 3}")));
  CHECK_THAT(fault(9, "{op: pbt, population: 4, min_budget: 2, interval: 3}"), Contains("end at 8 or 11"));
  CHECK_THAT(fault(9, "{op: pbt, population: 4, interval: often}"), Contains("'search.pruner.interval' must be"));
}

TEST_CASE("a population needs as many points as it has trials", "[spec][pruner]") {
  const auto population = [](int size) {
    std::string text = kBranin;
    text.replace(text.find("x1:"), text.find("trial:") - text.find("x1:"),
                 "x1: {type: int, low: 1, high: 5}\n  x2: {type: constant, value: 1}\n");
    text.replace(text.find("branin}"), 7, "branin, epochs: 8}");
    return StudyFile(text + "search: {pruner: {op: pbt, population: " + std::to_string(size) + "}}\n", "pruners")
        .errors();
  };
  CHECK(is_fine(population(5)));
  CHECK_THAT(population(6), Contains("needs as many points, but the space has 5"));
}

TEST_CASE("Wilcoxon looks before the last member", "[spec][pruner]") {
  const auto members = [](int count) {
    std::string text = kBranin;
    text.replace(text.find("branin}"), 7, "{op: branin, noise: 0.1}, replicates: " + std::to_string(count) + "}");
    return StudyFile(text + "search: {pruner: {op: wilcoxon, min_members: 4}}\n", "pruners").errors();
  };
  CHECK(is_fine(members(5)));
  CHECK_THAT(members(4), Contains("a trial of 4 members is over when wilcoxon first looks, after 4"));
}

}  // namespace pruner_checks_test
