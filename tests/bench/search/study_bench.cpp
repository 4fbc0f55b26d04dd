// SPDX-License-Identifier: Apache-2.0
// Whole studies on simulated workers: what does not depend on timing, what that costs, and how many epochs a search
// needs.
//   bench_study fingerprint SAMPLER PRUNER WORKERS SEED          SHA-256 of the logical log, decisions, lost attempts
//   bench_study busy ORDER LANES WORKERS SLACK NOISE SHARE SLOW SEEDS    share of the workers' time that is used
//   bench_study regret SAMPLER PROBLEM ORDER LANES SLACK WORKERS TRIALS SEEDS     a line for each seed
//   bench_study regrets SAMPLER tuned|others WORKERS LANES FIRST_SEED SEEDS TRIALS
//     "problem seed trials regret" of studies of 50, 100 and 200 trials, but of at most TRIALS
//   bench_study epochs TABLE SAMPLER PRUNER WORKERS LANES ERROR SEEDS             a line for each seed
//   bench_study replay DURATIONS SEED TRIALS LANES WORKERS       a study of hours/ anew: share used, seconds, pieces
// ORDER: logical, together (logical, all lanes begin at once) or arrival. PRUNER: a name, or asha_stop. SAMPLER of
// epochs: a name, or rows (each row once). DURATIONS: lines of trial, first epoch and seconds, as a real run measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>

#include "compare.hpp"
#include "search/problems.hpp"
#include "search/table.hpp"
#include "spec/rules.hpp"
#include "util/json.hpp"
#include "util/sha256.hpp"

using namespace dlrun;
using namespace dlrun::bench;

namespace {

constexpr study::Tick kEpoch = 1000;
constexpr double kSlack = 0.1;  // the default of a spec

/// A study with the defaults of a spec on workers to whom nothing happens.
sim::Scenario quiet(std::uint64_t seed, const std::string& order, int lanes, double slack, int workers,
                    const Json& pruner) {
  sim::Scenario s;
  s.seed = seed;
  s.pruner = pruner;
  s.workers = workers;
  s.rules.seed = seed;
  s.rules.lanes = lanes;
  s.rules.arrival = order == "arrival";
  s.rules.epochs = pruner["max_budget"].get<std::int64_t>();
  s.rules.objective.metric = "error";
  s.rules.cost = [](const space::Values&, std::int64_t from, std::int64_t to) { return kEpoch * (to - from); };
  const auto made = pruners::make_pruner(sim::pruner_of(s.rules, pruner));
  const auto rungs = made->rungs().empty() ? std::vector{s.rules.epochs} : made->rungs();
  s.rules.slack = spec::slack_ticks(slack, rungs, made->shares(), kEpoch);
  if (order == "logical") s.rules.stride = spec::slack_ticks(1, rungs, made->shares(), kEpoch) / lanes;
  return s;
}

Json pruner_named(const std::string& name, std::int64_t epochs) {
  const bool stops = name == "asha_stop";
  return {{"op", stops ? "asha" : name},
          {"type", stops ? "stop" : "promotion"},
          {"eta", 3},
          {"min_budget", 1},
          {"max_budget", epochs}};
}

// ---- independence from timing ----

void print_fingerprint(const std::string& sampler, const std::string& pruner, int workers, std::uint64_t seed) {
  sim::Scenario s = quiet(seed, "logical", 8, kSlack, workers, pruner_named(pruner, 27));
  s.sampler = sampler;
  s.space = make_problem("net", seed).space;
  s.rules.limits.trials = sampler == "gp" ? 60 : 300;
  s.rules.retries = {{trial::Cause::worker_lost, 1000}, {trial::Cause::signal, 1}};
  s.nature = {.nan = 0.05, .exception = 0.02, .early = 0.05};
  if (workers > 1) {
    s.faults = {
        .noise = 0.5, .straggler = 0.02, .death = 0.05, .false_alarm = 0.02, .transient = 0.05, .repeated = 0.1};
    s.faults.delay = 0.5;
    s.faults.crash = 0.01;
  }
  const sim::Run run = sim::World(s).run();
  std::string text;
  for (const std::string& line : sim::logical_log(s, run)) text += line + "\n";
  fmt::print("{} {} {}\n", Sha256::hex_of(text), run.log.size(), run.deaths + run.stale);
}

double busy(const std::vector<std::string>& args) {
  const int lanes = std::stoi(args[2]), workers = std::stoi(args[3]), seeds = std::stoi(args[8]);
  double sum = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    sim::Scenario s = quiet(std::uint64_t(seed), args[1], lanes, std::stod(args[4]), workers, pruner_named("asha", 27));
    s.space = space::Space({{.name = "lr", .low = 0, .high = 1}});
    s.rules.limits.trials = 1500;
    s.faults.noise = std::stod(args[5]);
    s.faults.straggler = std::stod(args[6]);
    s.faults.slowness = std::stod(args[7]);
    const sim::Run run = sim::World(s).run();
    sum += run.busy / (workers * run.makespan);
  }
  return sum / seeds;
}

/// Seconds of pieces by trial and first epoch.
std::map<std::pair<std::uint32_t, std::int64_t>, double> read_durations(const std::string& file) {
  std::ifstream lines(file);
  std::map<std::pair<std::uint32_t, std::int64_t>, double> seconds;
  std::uint32_t trial = 0;
  std::int64_t from = 0;
  for (double taken = 0; lines >> trial >> from >> taken;) seconds[{trial, from}] = taken;
  return seconds;
}

/// The study of hours/study.yaml, each piece as long as it really was. @throws std::out_of_range: the real run had no
/// such piece.
void print_replay(const std::vector<std::string>& args) {
  const auto seconds = read_durations(args[1]);
  const int workers = std::stoi(args[5]);
  sim::Scenario s =
      quiet(std::stoull(args[2]), "logical", std::stoi(args[4]), kSlack, workers, pruner_named("asha", 27));
  s.space = space::Space({{.name = "lr", .low = 1e-4, .high = 1, .log = true}});
  s.rules.limits.trials = std::stoll(args[3]);
  s.nature.metric = [](const space::Values& v, std::int64_t epoch) {
    return std::abs(std::log10(std::get<double>(v[0])) + 1) + 1 / double(epoch);
  };
  s.nature.duration = [&](const study::StartPiece& piece, const space::Values&) {
    return seconds.at({piece.key.member.trial.value, piece.from_step});
  };
  const sim::Run run = sim::World(s).run();
  fmt::print("{:.4f} {:.1f} {}\n", run.busy / (workers * run.makespan), run.makespan, run.stints.size());
}

/// The least regret that a study on noisy workers finds.
double regret_of(const std::string& sampler, const Problem& problem, sim::Scenario s) {
  s.sampler = sampler;
  s.space = problem.space;
  s.faults.noise = 0.3;
  s.nature.metric = [&](const space::Values& v, std::int64_t) { return problem.regret(point_of(problem.space, v)); };
  const sim::Run run = sim::World(s).run();
  return *run.study->trial(*run.study->best()).objective;
}

void print_regrets(const std::vector<std::string>& args) {
  for (int seed = 0; seed < std::stoi(args[8]); ++seed) {
    sim::Scenario s = quiet(std::uint64_t(seed), args[3], std::stoi(args[4]), std::stod(args[5]), std::stoi(args[6]),
                            pruner_named("none", 1));
    s.rules.limits.trials = std::stoll(args[7]);
    const Problem problem = make_problem(args[2], std::uint64_t(seed));
    fmt::print("{:.9g}\n", regret_of(args[1], problem, std::move(s)));
  }
}

void print_all_regrets(const std::vector<std::string>& args) {
  const std::uint64_t first = std::stoull(args[5]), last = first + std::stoull(args[6]);
  for (const std::string& name : args[2] == "tuned" ? problem_names() : other_problem_names()) {
    for (std::uint64_t seed = first; seed < last; ++seed) {
      for (const int trials : {50, 100, 200}) {
        if (trials > std::stoi(args[7])) break;
        sim::Scenario s =
            quiet(seed, "logical", std::stoi(args[4]), kSlack, std::stoi(args[3]), pruner_named("none", 1));
        s.rules.limits.trials = trials;
        fmt::print("{} {} {} {:.9g}\n", name, seed, trials, regret_of(args[1], make_problem(name, seed), std::move(s)));
      }
    }
  }
}

// ---- epochs ----

constexpr std::int64_t kMostEpochs = 10'000;

/// Epochs that all workers together had trained when the first of them had measured `wanted`, each epoch visible as it
/// ends; kMostEpochs: none did.
double epochs_to(const sim::Run& run, const sim::Scenario& s, double wanted) {
  double found = -1;
  for (const sim::Stint& stint : run.stints) {
    const auto values = run.study->trial(stint.key.member.trial).values;
    for (std::int64_t e = stint.from_step + 1; e <= stint.to_step; ++e) {
      if (s.nature.metric(values, e) > wanted) continue;
      const double at = stint.begin + double(kEpoch * (e - stint.from_step));
      if (found < 0 || at < found) found = at;
      break;
    }
  }
  if (found < 0) return kMostEpochs;
  double done = 0;
  for (const sim::Stint& stint : run.stints) done += std::clamp(found - stint.begin, 0.0, stint.seconds);
  return done / kEpoch;
}

void print_epochs(const std::vector<std::string>& args) {
  const Table table(args[1]);
  const bool by_row = args[2] == "rows";
  const double wanted = std::stod(args[6]);
  for (int seed = 0; seed < std::stoi(args[7]); ++seed) {
    sim::Scenario s = quiet(std::uint64_t(seed), "logical", std::stoi(args[5]), kSlack, std::stoi(args[4]),
                            pruner_named(args[3], table.epochs()));
    s.sampler = by_row ? "random" : args[2];
    s.space = table.space();
    if (by_row) {
      s.space = space::Space({{.name = "row", .type = space::Type::integer, .high = double(table.size()) - 1}});
    }
    s.rules.limits.epochs = kMostEpochs;
    s.rules.limits.trials = std::int64_t(table.size());
    std::vector<bool> taken(table.size());
    std::map<space::Values, std::size_t> rows;
    s.nature.metric = [&](const space::Values& values, std::int64_t epoch) {
      if (by_row) return table.error(std::size_t(std::get<std::int64_t>(values[0])), epoch);
      if (!rows.contains(values)) rows[values] = table.take_nearest(values, taken);
      return table.error(rows[values], epoch);
    };
    s.rules.limits.target = wanted;
    const sim::Run run = sim::World(s).run();
    fmt::print("{:.0f}\n", epochs_to(run, s, wanted));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto is = [&](const char* what, std::size_t count) { return args.size() == count && args[0] == what; };
  if (is("fingerprint", 5)) {
    print_fingerprint(args[1], args[2], std::stoi(args[3]), std::stoull(args[4]));
  } else if (is("busy", 9)) {
    fmt::print("{:.4f}\n", busy(args));
  } else if (is("replay", 6)) {
    print_replay(args);
  } else if (is("regret", 9)) {
    print_regrets(args);
  } else if (is("regrets", 8)) {
    print_all_regrets(args);
  } else if (is("epochs", 8)) {
    print_epochs(args);
  } else {
    fmt::print(
        stderr,
        "bench_study fingerprint | busy | replay | regret | regrets | epochs, as the head of study_bench.cpp says\n");
    return 2;
  }
  return 0;
}
