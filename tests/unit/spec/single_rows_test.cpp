// SPDX-License-Identifier: Apache-2.0
// Batch norm in batches of one example, where the batch size is searched.
#include "study_file.hpp"

namespace single_rows_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

std::string study(const std::string& choices) {
  std::string text = kTrees;
  text.replace(text.find("{name: act1, op: relu}"), 22, "{name: bn, op: batchnorm}");
  const std::string parameter = "  rows: {at: batch_size, choices: " + choices + "}\n";
  return text.insert(text.find("trial:"), parameter);
}

}  // namespace

TEST_CASE("a search over batches of one example, where batch norm fails, gets a warning", "[spec][model]") {
  CHECK_THAT(StudyFile(study("[1, 8]")).warnings(),
             Contains("trials with batches of one example fail: layer 'bn' has one value of each channel"));
  CHECK(StudyFile(study("[2, 8]")).warnings().find("one example") == std::string::npos);
}

TEST_CASE("batch norm in batches of one example alone is refused", "[spec][model]") {
  CHECK_THAT(StudyFile(study("[1]")).errors(), Contains("layer 'bn' has one value of each channel"));
}

}  // namespace single_rows_test
