// SPDX-License-Identifier: Apache-2.0
// Words of other tools, by the place where they stand.
#include "spec/familiar_words.hpp"
#include "support/catch.hpp"

namespace familiar_words_test {

using namespace dlrun;
using spec::help_for_familiar;

TEST_CASE("a word is known in the sections where people write it", "[spec][familiar]") {
  CHECK(help_for_familiar("n_trials", "n_trials") == "write limits: {trials: N}");
  CHECK(help_for_familiar("search.n_trials", "n_trials") == "write limits: {trials: N}");
  CHECK(help_for_familiar("limits.timeout", "timeout") == "write limits: {wall: 2h}");
  CHECK(help_for_familiar("trial.timeout", "timeout") == "write limits: {trial_wall: 2h}");
  CHECK(help_for_familiar("trial.learning_rate", "learning_rate") == "write optimizer: {op: sgd, lr: 0.1}");
  CHECK(help_for_familiar("trial.optimizer.learning_rate", "learning_rate").empty());
  CHECK(help_for_familiar("objective.mode", "mode") == "write direction: minimize, or maximize");
  CHECK(help_for_familiar("objective.1.mode", "mode") == "write direction: minimize, or maximize");
}

TEST_CASE("a parameter's name does not matter, its keys and kinds differ", "[spec][familiar]") {
  CHECK(help_for_familiar("space.lr.min", "min") == "write low");
  CHECK(help_for_familiar("space.min.max", "max") == "write high");
  CHECK(help_for_familiar("space.lr.log", "log") == "write scale: log");
  CHECK(help_for_familiar("space.lr.type", "loguniform") == "write type: float, scale: log");
  CHECK(help_for_familiar("space.lr.type", "choice") == "write type: categorical, choices: [a, b]");
  CHECK(help_for_familiar("space.lr.type", "choic").empty());
}

TEST_CASE("a part of a word is none", "[spec][familiar]") {
  CHECK(help_for_familiar("limits.n", "n").empty());
  CHECK(help_for_familiar("limits.n_trials ", "n_trials ").empty());
  CHECK(help_for_familiar("limits.", "").empty());
}

}  // namespace familiar_words_test
