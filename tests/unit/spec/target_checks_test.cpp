// SPDX-License-Identifier: Apache-2.0
// Losses that are for some numbers alone.
#include "study_file.hpp"

namespace target_checks_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

/// A study of the numbers 0, 1/2 and 1, times a factor.
struct Numbers {
  Numbers(const std::string& loss, double factor)
      : file(
            "study: numbers\nobjective: {metric: val.loss}\n"
            "space: {lr: {at: optimizer.lr, type: float, low: 0.1, high: 1}}\n"
            "trial:\n  data: {op: csv, path: numbers.csv, target: y, task: regression}\n  loss: " +
            loss + "\n  model: {nodes: [{op: linear, out: targets, role: head}]}\n") {
    std::string table = "x,y\n";
    for (int i = 0; i < 30; ++i) table += std::to_string(i) + "," + std::to_string(i % 3 * factor / 2) + "\n";
    file.write("numbers.csv", table);
  }
  StudyFile file;
};

std::string errors(const std::string& loss, double factor) { return Numbers(loss, factor).file.errors(); }

}  // namespace

TEST_CASE("losses of shares refuse other numbers", "[spec][loss]") {
  CHECK_THAT(errors("binary_cross_entropy", 8),
             Contains("binary_cross_entropy is for numbers from 0 to 1, but a target is 4"));
  CHECK_THAT(errors("hinge", -1), Contains("hinge is for numbers from 0 to 1, but a target is -0.5"));
  CHECK_THAT(errors("{op: sum, parts: [mse, binary_cross_entropy]}", 8), Contains("but a target is 4"));
  CHECK(errors("binary_cross_entropy", 1).empty());
  CHECK(errors("mse", 8).empty());
}

TEST_CASE("probabilities are at least 0, their logarithms need not be", "[spec][loss]") {
  CHECK_THAT(errors("kl_div", -1), Contains("kl_div is for probabilities, at least 0, but a target is -0.5"));
  CHECK(errors("kl_div", 8).empty());
  CHECK(errors("{op: kl_div, log_target: true}", -1).empty());
}

}  // namespace target_checks_test
