// SPDX-License-Identifier: Apache-2.0
// Variants of an ablation that are tuned before they are compared.
#include "samplers/retune_sampler.hpp"

#include <algorithm>
#include <map>

#include "samplers/random_sampler.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace retune_sampler_test {

using namespace dlrun;
using samplers::Observation;
using samplers::RetuneSampler;
using space::Choice;
using space::Parameter;
using space::Type;
using space::Values;

namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::size_t kPurpose = 0, kTuning = 1, kReplicate = 2, kVariant = 3, kRate = 4, kWidth = 5;
constexpr std::int64_t kTrials = 5, kReplicates = 3;

/// The variant "plain" has no rate, "bare" has no setting at all.
space::Space cells(int tunings = 1) {
  Parameter purpose{.name = "purpose", .type = Type::categorical, .choices = {"comparison", "tuning"}};
  Parameter tuning{.name = "tuning", .type = Type::ordinal};
  for (int k = 1; k <= tunings; ++k) tuning.choices.emplace_back(k);
  tuning.when = {{kPurpose, {Choice{1}}}};
  Parameter replicate{.name = "replicate", .type = Type::integer, .low = 1, .high = kReplicates};
  replicate.when = {{kPurpose, {Choice{0}}}};
  Parameter variant{.name = "variant", .type = Type::categorical, .choices = {"baseline", "plain", "bare"}};
  Parameter rate{.name = "rate", .low = 1e-3, .high = 1, .log = true};
  rate.when = {{kVariant, {Choice{0}}}};
  Parameter width{.name = "width", .type = Type::integer, .low = 1, .high = 2};
  width.when = {{kVariant, {Choice{0}, Choice{1}}}};
  return space::Space({purpose, tuning, replicate, variant, rate, width});
}

samplers::RetuneOptions options(const char* sampler = "random") {
  statistics::AnalysisOptions analysis;
  analysis.looks.at = {int(kReplicates)};
  return {kPurpose, kTuning, kTrials, sampler, {kReplicate, kVariant, statistics::sequential_rules(analysis, 2)}};
}

std::size_t variant_of(const Values& values) { return std::get<Choice>(values[kVariant]).index; }
bool is_tuning(const Values& values) { return std::get<Choice>(values[kPurpose]).index == 1; }

/// The wider the better; of equal widths the lower rate.
std::optional<double> cost_of(const Values& values) {
  const double rate = std::holds_alternative<double>(values[kRate]) ? std::get<double>(values[kRate]) : 0;
  return rate - double(std::get<std::int64_t>(values[kWidth]));
}

/// All that is proposed until nothing is; then its results are visible, and so on.
std::vector<Values> play(RetuneSampler& sampler, const std::function<std::optional<double>(const Values&)>& cost) {
  std::vector<Values> all;
  for (std::size_t seen = 0;;) {
    const std::size_t before = all.size();
    while (const auto values = sampler.propose(std::int64_t(all.size()))) {
      sampler.on_start(trial::TrialId(std::int64_t(all.size())), *values);
      all.push_back(*values);
    }
    if (all.size() == before) return all;
    for (; seen < all.size(); ++seen) {
      const Values& values = all[seen];
      const auto measured = is_tuning(values) ? cost(values) : std::optional(1.0 + double(seen));
      sampler.on_result({trial::TrialId(std::int64_t(seen)), values, measured});
    }
  }
}

std::vector<Values> of(const std::vector<Values>& all, std::size_t variant, bool tuning) {
  std::vector<Values> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Values& values) { return variant_of(values) == variant && is_tuning(values) == tuning; });
  return out;
}

}  // namespace

TEST_CASE("every variant tries the first points of a random search, without the settings that it lacks",
          "[samplers][retune]") {
  RetuneSampler sampler(cells(), options(), kSeed);
  const std::vector<Values> all = play(sampler, cost_of);
  Parameter rate = cells().parameters()[kRate], width = cells().parameters()[kWidth];
  rate.when.clear();
  width.when.clear();
  samplers::RandomSampler random(space::Space({rate, width}), kSeed);
  const std::vector<Values> tried = of(all, 0, true);
  REQUIRE(tried.size() == kTrials);
  for (std::int64_t number = 0; number < kTrials; ++number) {
    const Values point = *random.propose(number);
    random.on_start(trial::TrialId(number), point);
    CHECK(Values(tried[std::size_t(number)].begin() + kRate, tried[std::size_t(number)].end()) == point);
  }
  const std::vector<Values> plain = of(all, 1, true);
  CHECK(plain.size() == 2);  // of its two widths each is tried once
  for (const Values& values : plain) CHECK(std::holds_alternative<std::monostate>(values[kRate]));
  CHECK(of(all, 2, true).empty());
  CHECK(sampler.tuning_runs() == std::vector<std::size_t>{5, 2, 0});
  for (const Values& values : all) CHECK(cells().contains(values));
}

TEST_CASE("the replicates of a variant run with the settings that won, of equal ones the first", "[samplers][retune]") {
  RetuneSampler sampler(cells(), options(), kSeed);
  const bool are_equal = GENERATE(false, true);
  const auto cost = [&](const Values& values) { return are_equal ? 1.0 : cost_of(values); };
  const std::vector<Values> all = play(sampler, cost);
  for (std::size_t v = 0; v < 2; ++v) {
    const std::vector<Values> tried = of(all, v, true), compared = of(all, v, false);
    const auto best = std::min_element(tried.begin(), tried.end(),
                                       [&](const Values& a, const Values& b) { return cost(a) < cost(b); });
    REQUIRE(compared.size() == kReplicates);
    for (std::size_t r = 0; r < compared.size(); ++r) {
      CHECK(std::get<std::int64_t>(compared[r][kReplicate]) == std::int64_t(r) + 1);
      CHECK(Values(compared[r].begin() + kRate, compared[r].end()) == Values(best->begin() + kRate, best->end()));
    }
  }
  CHECK(of(all, 2, false).size() == kReplicates);
}

TEST_CASE("a variant of which nothing trained is not compared, and nothing is without a baseline",
          "[samplers][retune]") {
  const std::size_t failing = GENERATE(0, 1);
  RetuneSampler sampler(cells(), options(), kSeed);
  const auto all = play(
      sampler, [&](const Values& values) { return variant_of(values) == failing ? std::nullopt : cost_of(values); });
  CHECK(of(all, failing, false).empty());
  if (failing == 0) {
    CHECK(of(all, 1, false).empty());
    CHECK(sampler.reason() == "no settings of the baseline trained: there is nothing to compare with");
  } else {
    CHECK(of(all, 0, false).size() == kReplicates);
    CHECK(sampler.reason().ends_with("; no settings trained in 1 tunings"));
  }
}

TEST_CASE("a failed candidate that is tried again does not change settings in use", "[samplers][retune]") {
  RetuneSampler sampler(cells(), options(), kSeed);
  std::vector<Values> tried;
  while (tried.size() < 7) {  // the baseline's five, two of "plain"
    tried.push_back(*sampler.propose(0));
    sampler.on_start(trial::TrialId(std::int64_t(tried.size())), tried.back());
  }
  for (std::size_t i = 0; i < tried.size(); ++i)
    sampler.on_result({trial::TrialId(std::int64_t(i)), tried[i], i == 0 ? std::nullopt : std::optional(double(i))});
  const Values cell = *sampler.propose(7);
  sampler.on_start(trial::TrialId(8), cell);
  CHECK(Values(cell.begin() + kRate, cell.end()) == Values(tried[1].begin() + kRate, tried[1].end()));
  sampler.on_result({trial::TrialId(0), tried[0], -1.0});
  while (const auto next = sampler.propose(8)) {
    if (variant_of(*next) == 0)
      CHECK(Values(next->begin() + kRate, next->end()) == Values(cell.begin() + kRate, cell.end()));
    sampler.on_start(trial::TrialId(9), *next);
  }
}

TEST_CASE("a sampler that is asked for searches the settings of each variant by itself", "[samplers][retune]") {
  RetuneSampler sampler(cells(), options("tpe"), kSeed);
  CHECK(sampler.tuning_runs() == std::vector<std::size_t>{5, 5, 0});  // it may find that there are only two
  const std::vector<Values> all = play(sampler, cost_of);
  CHECK(of(all, 0, true).size() == kTrials);
  CHECK(of(all, 1, true).size() == 2);
  CHECK(of(all, 2, true).empty());
  for (std::size_t v = 0; v < 3; ++v) CHECK(of(all, v, false).size() == kReplicates);
  for (const Values& values : all) CHECK(cells().contains(values));

  Parameter width = cells().parameters()[kWidth];
  width.when.clear();
  const auto alone = samplers::make_sampler("tpe", space::Space({width}), kSeed);
  CHECK(*alone->propose(0) == Values{of(all, 1, true)[0][kWidth]});
}

TEST_CASE("a constraint between settings binds every candidate that has them", "[samplers][retune]") {
  std::vector<Parameter> parameters = cells().parameters();
  Parameter depth{.name = "depth", .type = Type::integer, .low = 1, .high = 9};
  parameters.push_back(depth);
  const space::Constraint rule{"", space::Linear{{{kWidth, 4}, {kWidth + 1, -1}}, space::Relation::at_most, 0}};
  const space::Space constrained(parameters, {rule});
  for (const char* name : {"random", "tpe"}) {
    RetuneSampler sampler(constrained, options(name), kSeed);
    const auto all =
        play(sampler, [](const Values& values) { return double(std::get<std::int64_t>(values[kWidth + 1])); });
    CHECK(of(all, 2, true).size() > 1);  // it has the depth alone
    for (const Values& values : all) CHECK(constrained.contains(values));
  }
}

TEST_CASE("where each replicate has a tuning of its own it runs with what won there", "[samplers][retune]") {
  RetuneSampler sampler(cells(int(kReplicates)), options(), kSeed);
  CHECK(sampler.tuning_runs() == std::vector<std::size_t>{15, 6, 0});
  const std::vector<Values> all = play(sampler, cost_of);
  RetuneSampler once(cells(), options(), kSeed);
  const std::vector<Values> first = of(play(once, cost_of), 0, true);
  for (std::size_t r = 0; r < std::size_t(kReplicates); ++r) {
    std::vector<Values> tried = of(all, 0, true);
    std::erase_if(tried, [&](const Values& values) { return std::get<Choice>(values[kTuning]).index != r; });
    REQUIRE(tried.size() == std::size_t(kTrials));
    const auto rate_of = [](const Values& values) { return std::get<double>(values[kRate]); };
    CHECK((rate_of(tried[0]) == rate_of(first[0])) == (r == 0));  // the next points of the search
    const auto best =
        std::min_element(tried.begin(), tried.end(), [](auto& a, auto& b) { return cost_of(a) < cost_of(b); });
    CHECK(rate_of(of(all, 0, false)[r]) == rate_of(*best));
  }
}

TEST_CASE("every sampler tries other points in each tuning, the same ones for all variants", "[samplers][retune]") {
  std::vector<Parameter> parameters = cells(int(kReplicates)).parameters();
  parameters[kRate].when.clear();
  const space::Space space(parameters);
  const auto rates = [&](const char* name, bool has_own_seeds, std::size_t variant, std::uint32_t tuning) {
    samplers::RetuneOptions own = options(name);
    own.has_own_seeds = has_own_seeds;
    RetuneSampler sampler(space, own, kSeed);
    std::vector<double> rates;
    for (const Values& values : of(play(sampler, [](const Values&) { return 1.0; }), variant, true)) {
      if (std::get<Choice>(values[kTuning]).index == tuning) rates.push_back(std::get<double>(values[kRate]));
    }
    return rates;
  };
  for (const char* name : {"random", "auto", "sobol", "halton", "tpe", "tpe_univariate", "gp", "nsga2", "evolution"}) {
    INFO(name);
    const std::vector<double> first = rates(name, true, 0, 0);
    CHECK(first.size() == std::size_t(kTrials));
    CHECK(first == rates(name, false, 0, 0));
    CHECK(first != rates(name, true, 0, 1));
    CHECK(rates(name, true, 0, 1) != rates(name, true, 0, 2));
    CHECK(rates(name, true, 0, 1).front() == rates(name, true, 1, 1).front());
  }
  CHECK(rates("sobol", false, 0, 0) == rates("sobol", false, 0, 1));  // as in studies of earlier versions
}

TEST_CASE("a replicate that a settled variant does not get is not tuned", "[samplers][retune]") {
  samplers::RetuneOptions looked = options();
  statistics::AnalysisOptions analysis;
  analysis.looks = {{2, 3}, statistics::Boundary::pocock};
  analysis.rope = 100;  // all is negligible at the first look
  looked.cells.rules = statistics::sequential_rules(analysis, 2);
  RetuneSampler sampler(cells(int(kReplicates)), looked, kSeed);
  const std::vector<Values> all = play(sampler, cost_of);
  CHECK(of(all, 0, false).size() == 2);
  CHECK(of(all, 0, true).size() == 10);
}

}  // namespace retune_sampler_test
