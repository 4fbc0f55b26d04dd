// SPDX-License-Identifier: Apache-2.0
// How many workers a driver starts.
#include "driver/crew_size.hpp"

#include "around.hpp"
#include "driver/cores.hpp"
#include "support/catch.hpp"

namespace crew_size_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

struct Fixture {
  support::TempFolder folder;
  spec::StudySpec spec = support::small_spec(folder);
  Options options;

  Fixture() {
    spec.rules.lanes = 64;
    spec.rules.limits.trials = 1000;
  }
  int workers(const std::vector<std::string>& gpus = {}) const { return worker_count(options, spec, gpus); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "without a wish there are as many workers as cores allow", "[driver][crew]") {
  CHECK(workers() == std::min(usable_cores(), 64));
  spec.threads_per_trial = usable_cores();
  CHECK(workers() == 1);
  spec.threads_per_trial = 2 * usable_cores();
  CHECK(workers() == 1);
}

TEST_CASE_METHOD(Fixture, "workers that are asked for start as far as there is work for them", "[driver][crew]") {
  options.workers = 5;
  CHECK(workers() == 5);
  spec.rules.lanes = 3;
  CHECK(workers() == 3);
  spec.rules.lanes = 64;
  spec.rules.limits.trials = 2;
  CHECK(workers() == 2);
  CHECK(useful_workers(spec) == 2);
  options.only_joined = true;
  CHECK(workers() == 0);
}

TEST_CASE_METHOD(Fixture, "settings that change nothing for jobs are said", "[driver][crew]") {
  support::Lines lines;
  spec.pin = true;
  tell_unused(options, spec, lines);
  CHECK(lines.all.empty());
  spec.slurm = spec::Slurm{};
  tell_unused(options, spec, lines);
  REQUIRE(lines.all.size() == 1);
  CHECK_THAT(lines.all[0], Contains("resources.pin changes nothing"));
}

}  // namespace crew_size_test
