// SPDX-License-Identifier: Apache-2.0
// What a function trial costs in the store, and what a report on many of them costs: bench_store FOLDER [TRIALS].
// Per trial: decision with 6 parameters, attempt, result with one metric, two changes; 32 trials share a commit.
// CPU time of this process is measured, so waiting for the disk does not count.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "report/report.hpp"
#include "storage/paths.hpp"
#include "support/sample_study.hpp"
#include "util/random.hpp"

using namespace dlrun;

namespace {

constexpr int kParameters = 6;
constexpr int kGroup = 32;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void print(const char* name, double value, const char* unit) { fmt::print("{} {:.4g} {}\n", name, value, unit); }

double cpu_ms(const std::function<void()>& act) {
  const double began = cpu_seconds();
  act();
  return (cpu_seconds() - began) * 1e3;
}

double wall_ms(const std::function<void()>& act) {
  const auto began = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

space::Space sample_space() {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < kParameters; ++i) {
    parameters.push_back({.name = "x" + std::to_string(i), .low = -1, .high = 1});
  }
  return space::Space(parameters);
}

void write_one(storage::Store& store, std::int64_t trial, RandomStream& random) {
  space::Values values;
  for (int i = 0; i < kParameters; ++i) values.emplace_back(2 * random.uniform() - 1);
  const double objective = random.uniform();
  store.add(support::start_of(trial, std::move(values)));
  store.attempts().start({support::piece_of(trial), 1, trial % 2});
  store.change({trial::TrialId(trial), trial::TrialState::running, {}, 0});
  store.add(study::Event(study::PieceEnded{support::result_of(trial, objective)}));
  store.change({trial::TrialId(trial), trial::TrialState::completed, objective, 1, trial::Cause::none, "", 1});
}

void write_all(storage::Store& store, std::int64_t trials, storage::Durability durability) {
  RandomStream random(7, {"bench"});
  for (std::int64_t trial = 0; trial < trials;) {
    store.begin();
    for (int i = 0; i < kGroup && trial < trials; ++i) write_one(store, trial++, random);
    store.commit(durability);
  }
}

void measure_writing(const std::filesystem::path& folder, std::int64_t trials) {
  auto store = storage::Store::create(folder, support::sample_row("many"), sample_space());
  store->study_state("running", "");
  const double before = cpu_seconds();
  write_all(*store, trials, storage::Durability::normal);
  print("store.trial_cpu", (cpu_seconds() - before) / double(trials) * 1e6, "us");
  store->study_state("finished", "");
  store->close();
  const auto bytes = std::filesystem::file_size(storage::study_file(folder, "many", ".db"));
  print("store.file", double(bytes) / 1e6, "MB");
}

void measure_durable(const std::filesystem::path& folder, std::int64_t trials) {
  auto store = storage::Store::create(folder, support::sample_row("durable"), sample_space());
  const double ms = wall_ms([&] { write_all(*store, trials, storage::Durability::full); });
  print("store.durable_trial", ms / double(trials) * 1e3, "us");
}

void measure_reading(const std::filesystem::path& folder) {
  const auto open = [&] { return report::Reader(folder, {"many"}); };
  print("store.replay", cpu_ms([&] {
          auto store = storage::Store::open(folder, "many", sample_space());
          store->replay([](const storage::LogRow&) {});
          store->close();
        }),
        "ms");
  print("report.best", cpu_ms([&] { open().best(10); }), "ms");
  print("report.status", cpu_ms([&] { open().status(); }), "ms");
  print("report.progress", cpu_ms([&] { open().progress(); }), "ms");
  print("report.parameters", cpu_ms([&] { open().parameters(); }), "ms");
  print("report.sql", cpu_ms([&] {
          report::sql(folder, {"many"},
                      "select state, count(*), avg(objective), max(seconds) from trials group by state",
                      {.seconds = 60});
        }),
        "ms");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_store FOLDER [TRIALS]\n");
    return 2;
  }
  const std::int64_t trials = argc > 2 ? std::strtoll(argv[2], nullptr, 10) : 100'000;
  measure_writing(argv[1], trials);
  measure_durable(argv[1], std::min<std::int64_t>(trials, 10'000));
  measure_reading(argv[1]);
  return 0;
}
