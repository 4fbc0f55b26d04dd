// SPDX-License-Identifier: Apache-2.0
// Searches over keys of the loss, by a loss.
#include "recipe/loss_units.hpp"
#include "study_file.hpp"

namespace unit_checks_test {

using namespace dlrun;
using namespace dlrun::spec;
using Catch::Matchers::Contains;

namespace {

std::string study(const std::string& objective, const std::string& more = "") {
  std::string text = kTrees;
  text.replace(text.find("val.accuracy"), 12, objective);
  const std::string parameter = "  smooth: {at: loss.label_smoothing, type: float, low: 0, high: 0.5}\n";
  text.insert(text.find("trial:"), parameter + more);
  return text;
}

const Json kOutputs = {{"model",
                        {{"outputs",
                          {{"kind", "head"},
                           {"price", "number"},
                           {"early", {{"from", "side"}, {"target", "kind"}, {"auxiliary", true}}}}}}}};

bool changes(const std::string& metric, const std::string& place) {
  return recipe::changes_units(metric, place, kOutputs);
}

}  // namespace

TEST_CASE("a search over keys of the loss by that loss gets a warning", "[spec][units]") {
  CHECK_THAT(
      StudyFile(study("val.loss")).warnings(),
      Contains("'smooth' changes the loss, so trials cannot be compared by val.loss") && Contains("as val.accuracy"));
  CHECK(StudyFile(study("val.accuracy")).warnings().find("changes the loss") == std::string::npos);
}

TEST_CASE("a race by a loss that a parameter changes is refused", "[spec][units]") {
  const std::string race = "winner: {}\n";
  CHECK_THAT(StudyFile(study("val.loss", race)).errors(),
             Contains("the race compares by val.loss, but 'smooth' changes the loss"));
  CHECK(StudyFile(study("val.accuracy", race)).errors().empty());
}

TEST_CASE("the loss of an output is without its weight, and apart from the other outputs", "[spec][units]") {
  CHECK(changes("val.loss", "loss.price.weight"));
  CHECK(changes("val.loss", "loss"));
  CHECK_FALSE(changes("val.loss", "loss.early.weight"));
  CHECK(changes("train.loss", "loss.early.weight"));
  CHECK(changes("val.kind.loss", "loss.kind.label_smoothing"));
  CHECK(changes("val.kind.loss", "loss.kind"));
  CHECK_FALSE(changes("val.kind.loss", "loss.kind.weight"));
  CHECK_FALSE(changes("val.kind.loss", "loss.price.op"));
  CHECK_FALSE(changes("val.price.mae", "loss.price.op"));
}

}  // namespace unit_checks_test
