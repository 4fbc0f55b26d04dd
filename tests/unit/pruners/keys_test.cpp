// SPDX-License-Identifier: Apache-2.0
// Sections of a spec become pruners with their settings.
#include "pruners/keys.hpp"

#include "pruners/pruner.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace keys_test {

using namespace dlrun;
using namespace dlrun::pruners;

TEST_CASE("a section becomes the kind that it names, and missing settings have their defaults", "[pruners][keys]") {
  const auto median = std::get<Median>(read_pruner({{"op", "median"}, {"interval", 5}, {"min_trials", 4}}));
  CHECK(median.ladder.interval == 5);
  CHECK(median.ladder.min_budget == 1);
  CHECK(median.others.min_trials == 4);
  CHECK(median.others.startup_trials == 5);
  CHECK(std::get<Asha>(read_pruner({{"op", "asha"}, {"type", "stop"}})).stops);
  CHECK_FALSE(std::get<Asha>(read_pruner("asha")).stops);
  CHECK(std::get<Pbt>(read_pruner({{"op", "pbt"}, {"factors", {0.5, 2}}})).factors[1] == 2);
}

TEST_CASE("a kind has its own settings only", "[pruners][keys]") {
  // A median is no percentile, whatever else stands in the section.
  const Json section = {{"op", "median"}, {"percentile", 10}, {"startup_trials", 0}, {"max_budget", 2}};
  const auto pruner = make_pruner({read_pruner(section)});
  for (const double value : {1, 2, 3}) {
    const trial::TrialId id(static_cast<std::int64_t>(value));
    pruner->on_value(id, 0, value);
    pruner->on_value(id, 1, value);
  }
  pruner->on_value(trial::TrialId(9), 0, 2.0);
  CHECK_FALSE(pruner->next_stop());  // as good as the median
}

TEST_CASE("every kind has a key, and a pruner", "[pruners][keys]") {
  const options::Key key = pruner_key();
  std::vector<std::string> kinds;
  for (const auto& variant : key.variants) kinds.push_back(variant.name);
  CHECK(kinds == pruner_names());
}

TEST_CASE("the whole budget reaches every kind with rungs", "[pruners][keys]") {
  PrunerKind kind = Threshold{.upper = 1.0};
  set_max_budget(kind, 7);
  CHECK(make_pruner({kind})->rungs().back() == 7);
  PrunerKind none = None{};
  set_max_budget(none, 7);
  CHECK(is_none(none));
}

TEST_CASE("values outside their range name their place", "[pruners][keys]") {
  CHECK_THROWS_WITH(read_pruner({{"op", "asha"}, {"eta", 1}}), Contains("search.pruner.eta"));
  CHECK_THROWS_AS(read_pruner({{"op", "percentile"}}), Error);  // it must say which
}

}  // namespace keys_test
