// SPDX-License-Identifier: Apache-2.0
#include "ablation/wall.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/last_rounds.hpp"
#include "driver/packing.hpp"
#include "statistics/sequential.hpp"
#include "world.hpp"

namespace dlrun::bench {

namespace {

constexpr int kVariants = 20, kReplicates = 10;
constexpr study::Tick kBase = 100'000;
constexpr double kDeviation = 0.05;

std::uint32_t variant_of(const space::Values& values) { return std::get<space::Choice>(values[1]).index; }

study::Tick ticks_of(const space::Values& values) {
  return study::Tick(double(kBase) * (1 - 0.02 * double(variant_of(values))));
}

driver::Length length_of(const study::Study& study, trial::TrialId trial) {
  const space::Values values = study.trial(trial).values;
  return {.kind = variant_of(values), .ticks = double(ticks_of(values))};
}

/// The order of the driver, which remembers its last packing.
class Order {
 public:
  /// Index of the piece that leaves first.
  std::size_t choose(const sim::Waiting& waiting) {
    std::vector<driver::LastRounds::Running> running;
    for (; known_ < waiting.stints.size(); ++known_) under_way_.push_back(waiting.stints[known_]);
    std::erase_if(under_way_, [&](const sim::Stint& stint) {
      const driver::Length length = length_of(waiting.study, stint.key.member.trial);
      const bool has_ended = stint.end() <= waiting.now;
      if (has_ended) rounds_.learn(length, stint.seconds);
      if (!has_ended) running.push_back({stint.key, length, waiting.now - stint.begin});
      return has_ended;
    });
    if (!rounds_.has_begun(waiting.pieces.size(), running.size() + waiting.idle)) return 0;
    std::vector<driver::LastRounds::Waiting> runs;
    for (const auto& piece : waiting.pieces)
      runs.push_back({piece.key, length_of(waiting.study, piece.key.member.trial)});
    return rounds_.choose(runs, running, waiting.idle).front();
  }

 private:
  driver::LastRounds rounds_;
  std::vector<sim::Stint> under_way_;
  std::size_t known_ = 0;  ///< stints that were seen
};

/// Draws of a cell, for one purpose.
RandomStream stream_of(std::uint64_t seed, std::string_view purpose, const space::Values& values) {
  return {seed,
          {"bench", purpose, std::to_string(variant_of(values)), std::to_string(std::get<std::int64_t>(values[0]))}};
}

/// A trial takes as long in whatever order it runs.
double seconds_of(std::uint64_t seed, const space::Values& values) {
  RandomStream random = stream_of(seed, "seconds", values);
  const double s2 = std::log(1 + kDeviation * kDeviation);
  return double(ticks_of(values)) * std::exp(random.normal() * std::sqrt(s2) - s2 / 2);
}

sim::Scenario scenario(int workers, std::uint64_t seed, int replicates) {
  sim::Scenario s;
  s.seed = seed;
  space::Parameter replicate{.name = "replicate", .type = space::Type::integer, .low = 1, .high = double(replicates)};
  space::Parameter variant{.name = "variant", .type = space::Type::categorical};
  for (int v = 0; v <= kVariants; ++v) variant.choices.push_back("v" + std::to_string(v));
  s.space = space::Space({replicate, variant});
  s.sampler = "grid";
  s.workers = workers;
  s.rules.seed = seed;
  s.rules.lanes = (kVariants + 1) * replicates;  // as the spec gives an ablation
  s.rules.slack = kBase / 10;
  s.rules.objective.metric = "error";
  s.rules.cost = [](const space::Values& values, std::int64_t, std::int64_t) { return ticks_of(values); };
  s.nature.duration = [seed](const study::StartPiece&, const space::Values& values) {
    return seconds_of(seed, values);
  };
  return s;
}

/// A start as the log has it, with the seconds that it took.
struct Started {
  study::Tick at = 0, end = 0;
  double seconds = 0;
};

std::vector<Started> starts_of(const sim::Run& run) {
  std::map<trial::PieceKey, double> seconds;
  for (const sim::Stint& stint : run.stints) seconds[stint.key] = stint.seconds;
  std::vector<Started> out;
  for (const sim::LogRow& row : run.log) {
    const auto* decision = std::get_if<study::Decision>(&row);
    if (decision && decision->kind == study::DecisionKind::start)
      out.push_back({decision->at, decision->end, seconds.at(decision->key)});
  }
  return out;
}

/// Moments before which nothing that was decided at a logical time can begin, by that time.
using Moments = std::map<study::Tick, double>;

/// No order can have all runs home earlier that were planned to end by `by`: each takes its seconds from the moment of
/// its decision on, and all that were decided at one time or later share the workers from that moment on.
double earliest(const std::vector<Started>& starts, const Moments& moments, study::Tick by, int workers) {
  double out = 0;
  for (const auto& [time, moment] : moments) {
    double work = 0;
    for (const Started& start : starts) {
      if (start.end > by || start.at < time) continue;
      work += start.seconds;
      out = std::max(out, moments.at(start.at) + start.seconds);
    }
    if (work > 0) out = std::max(out, moment + work / workers);
  }
  return out;
}

/// Seconds that no order of the same runs can beat. Without looks everything is decided at once, and this is
/// max(work / workers, longest run).
double bound(const std::vector<Started>& starts, study::Tick slack, int workers) {
  Moments moments;
  for (const Started& start : starts) moments.emplace(start.at, 0.0);
  for (auto moment = moments.begin(); moment != moments.end(); ++moment)
    moment->second = earliest(starts, Moments(moments.begin(), moment), moment->first - slack, workers);
  return earliest(
      starts, moments,
      std::max_element(starts.begin(), starts.end(), [](const Started& a, const Started& b) { return a.end < b.end; })
          ->end,
      workers);
}

Wall compare(sim::Scenario scenario, bool has_looks) {
  const sim::Run plain = sim::World(scenario).run();
  scenario.choose = [order = std::make_shared<Order>()](const sim::Waiting& waiting) { return order->choose(waiting); };
  const sim::Run packed = sim::World(scenario).run();
  const std::vector<Started> starts = starts_of(packed);
  const double least = bound(starts, scenario.rules.slack, scenario.workers);
  Wall out{least / packed.makespan, least / plain.makespan, 0};
  if (has_looks) return out;
  std::vector<double> seconds;
  for (const Started& start : starts) seconds.push_back(start.seconds);
  out.known = least / driver::pack(seconds, std::vector<double>(std::size_t(scenario.workers), 0.0)).end;
  return out;
}

template <class Make>
Wall mean(int seeds, bool has_looks, Make make) {
  Wall sum;
  for (int seed = 0; seed < seeds; ++seed) {
    const Wall one = compare(make(std::uint64_t(seed)), has_looks);
    sum.share += one.share / seeds;
    sum.as_decided += one.as_decided / seeds;
    sum.known += one.known / seeds;
  }
  return sum;
}

}  // namespace

Wall wall(int workers, int seeds) {
  return mean(seeds, false, [&](std::uint64_t seed) { return scenario(workers, seed, kReplicates); });
}

Wall wall_with_looks(int workers, int seeds) {
  statistics::AnalysisOptions analysis;
  analysis.looks.at = {4, 6, 8, 10, 12};
  const statistics::SequentialRules rules = statistics::sequential_rules(analysis, kVariants);
  return mean(seeds, true, [&](std::uint64_t seed) {
    sim::Scenario s = scenario(workers, seed, analysis.looks.at.back());
    s.cells = samplers::CellOptions{0, 1, rules};
    s.nature.metric = [seed](const space::Values& values, std::int64_t) {
      const double effect = variant_of(values) % 2 == 1 ? -4 : 0;
      return effect + stream_of(seed, "metric", values).normal();
    };
    return s;
  });
}

}  // namespace dlrun::bench
