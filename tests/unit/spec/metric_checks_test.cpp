// SPDX-License-Identifier: Apache-2.0
// Metrics that a split does not define.
#include "study_file.hpp"

namespace metric_checks_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

/// A study of twelve rows with two classes; all of `lone` are of class 1.
struct Marked {
  explicit Marked(const std::string& lone, const std::string& metric)
      : file(
            "study: marked\nobjective: {metric: val.accuracy}\n"
            "space: {lr: {at: optimizer.lr, type: float, low: 0.1, high: 1}}\n"
            "trial:\n  data: {op: csv, path: marked.csv, target: y, "
            "split: {column: part, train: [train], val: [val], test: [test]}}\n"
            "  metrics: [accuracy, " +
            metric + "]\n  model: {nodes: [{op: linear, out: classes, role: head}]}\n") {
    std::string table = "x,y,part\n";
    for (int i = 0; i < 12; ++i) {
      const std::string part = i < 6 ? "train" : i < 9 ? "val" : "test";
      table += std::to_string(i) + (i % 2 == 0 && part != lone ? ",0," : ",1,") + part + "\n";
    }
    file.write("marked.csv", table);
  }
  StudyFile file;
};

std::string numbers(const std::string& folds, const std::string& metric) {
  std::string text = kTrees;
  text.replace(text.find("val.accuracy"), 12, "val." + metric);
  text.replace(text.find("target: kind}"), 13, "target: width, task: regression}\n  metrics: [" + metric + "]");
  text.replace(text.find("out: classes"), 12, "out: targets");
  return text + folds;
}

}  // namespace

TEST_CASE("auc is refused where the validation split has one class", "[spec][metrics]") {
  CHECK_THAT(Marked("val", "auc").file.errors(),
             Contains("auc is not defined: the validation split has examples of one class alone"));
  CHECK(Marked("val", "f1").file.errors().empty());
  CHECK(Marked("none", "auc").file.errors().empty());
}

TEST_CASE("auc gets a warning where the test split has one class", "[spec][metrics]") {
  CHECK_THAT(Marked("test", "auc").file.warnings(), Contains("auc is not measured on the test split"));
  CHECK(Marked("none", "auc").file.warnings().find("auc") == std::string::npos);
}

TEST_CASE("r2 is refused where a fold has one example", "[spec][metrics]") {
  CHECK_THAT(StudyFile(numbers("  folds: 100\n", "r2")).errors(),
             Contains("r2 is not defined: the validation split of fold 0 has one example"));
  CHECK(StudyFile(numbers("  folds: 100\n", "mae")).errors().empty());
  CHECK(StudyFile(numbers("  folds: 50\n", "r2")).errors().empty());
}

}  // namespace metric_checks_test
