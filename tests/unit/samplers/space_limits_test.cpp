// SPDX-License-Identifier: Apache-2.0
// Spaces at their limits: one value, ten thousand choices; and histories that teach nothing.
#include <cmath>
#include <set>

#include "samplers/sampler.hpp"
#include "support/catch.hpp"
#include "support/spaces.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace space_limits_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Space;
using space::Type;
using space::Values;

TEST_CASE("domains of one value are proposed as they are, and end the search", "[samplers][limits]") {
  const Space space({{.name = "a", .low = 0.5, .high = 0.5},
                     {.name = "n", .type = Type::integer, .low = 3, .high = 3},
                     {.name = "c", .type = Type::constant, .choices = {"x"}},
                     {.name = "l", .low = 0.1, .high = 0.1, .log = true}});
  CHECK(space.cardinality() == 1);
  for (const std::string& name : sampler_names()) {
    INFO(name);
    const auto sampler = make_sampler(name, space, 3);
    const auto values = sampler->propose(0);
    REQUIRE(values.has_value());
    CHECK(*values == Values{0.5, std::int64_t(3), Choice{0}, 0.1});
    sampler->on_start(trial::TrialId(0), *values);
    CHECK_FALSE(sampler->propose(1).has_value());
    CHECK_THAT(sampler->reason(), Contains("1 point"));
  }
}

TEST_CASE("ten thousand choices are searched like few", "[samplers][limits]") {
  // The objective knows nothing of the word: what is learnt is x.
  const Space space({support::categorical("word", 10'000), {.name = "x", .low = 0, .high = 1}});
  for (const std::string& name : sampler_names()) {
    if (name == "grid") continue;
    INFO(name);
    const auto sampler = make_sampler(name, space, 3);
    std::set<std::uint32_t> words;
    double late = 0;
    constexpr int kTrials = 60;
    for (int i = 0; i < kTrials; ++i) {
      const auto values = sampler->propose(i);
      REQUIRE(values.has_value());
      REQUIRE(space.contains(*values));
      const double x = std::get<double>((*values)[1]);
      words.insert(std::get<Choice>((*values)[0]).index);
      if (i >= kTrials - 20) late += std::abs(x - 0.3) / 20;
      sampler->on_start(trial::TrialId(i), *values);
      sampler->on_result({trial::TrialId(i), *values, (x - 0.3) * (x - 0.3), 1});
    }
    const bool learns = name == "tpe" || name == "tpe_univariate" || name == "cma_es" || name == "gp";
    if (learns) CHECK(late < 0.15);  // by chance 0.29
    CHECK(words.size() >= 10);
  }
}

TEST_CASE("a finite space of ten thousand choices is used up without a repetition", "[samplers][limits]") {
  const Space space({support::categorical("word", 10'000)});
  for (const char* const name : {"random", "grid", "sobol", "halton"}) {
    INFO(name);
    const auto sampler = make_sampler(name, space, 3);
    std::set<std::uint32_t> words;
    for (int i = 0; i <= 10'000; ++i) {
      const auto values = sampler->propose(i);
      if (!values) break;
      words.insert(std::get<Choice>((*values)[0]).index);
      sampler->on_start(trial::TrialId(i), *values);
    }
    CHECK(words.size() == 10'000);
    CHECK_THAT(sampler->reason(), Contains("10000 points"));
  }
}

TEST_CASE("where every trial fails or is not finite the search goes on", "[samplers][limits]") {
  const Space space({{.name = "x", .low = 0, .high = 1},
                     {.name = "n", .type = Type::integer, .low = 1, .high = 5},
                     support::categorical("word", 3)});
  for (const std::string& name : sampler_names()) {
    if (name == "grid") continue;
    for (const std::optional<double> objective : {std::optional<double>(), std::optional<double>(NAN)}) {
      INFO(name << (objective ? ": nan" : ": failed"));
      const auto sampler = make_sampler(name, space, 3);
      std::set<std::string> seen;
      for (int i = 0; i < 40; ++i) {
        const auto values = sampler->propose(i);
        REQUIRE(values.has_value());
        REQUIRE(space.contains(*values));
        seen.insert(to_text(space.params(*values)));
        sampler->on_start(trial::TrialId(i), *values);
        sampler->on_result({trial::TrialId(i), *values, objective, 1});
      }
      CHECK(seen.size() == 40);
    }
  }
}

}  // namespace space_limits_test
