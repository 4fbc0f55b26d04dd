// SPDX-License-Identifier: Apache-2.0
#include "driver/gpu_budget.hpp"

#include "around.hpp"
#include "driver/gpus_of_worker.hpp"
#include "support/catch.hpp"

namespace gpu_budget_test {

using namespace dlrun;
using namespace dlrun::driver;

TEST_CASE("hours of GPUs are counted by busy workers and their share", "[driver][gpu]") {
  GpuBudget budget(0.5, 0.25, 3600);  // an earlier run took a quarter of an hour
  budget.spend(900, 0);               // nobody was busy
  budget.spend(899, 4);               // four quarters of a GPU: not yet another quarter of an hour
  CHECK_FALSE(budget.is_spent());
  budget.spend(2, 4);
  CHECK(budget.is_spent());
}

TEST_CASE("without a limit, or without a GPU, nothing is spent", "[driver][gpu]") {
  GpuBudget unlimited(std::nullopt, 1, 1e9), without(1.0, 0, 1e9);
  unlimited.spend(1e9, 8);
  without.spend(1e9, 8);
  CHECK_FALSE(unlimited.is_spent());
  CHECK_FALSE(without.is_spent());
}

// The driver's own machine was looked at: on a login node without a GPU the limit was never reached.
TEST_CASE("workers elsewhere take the GPUs that the study asks for", "[driver][gpu]") {
  const support::TempFolder folder;
  spec::StudySpec spec = support::small_spec(folder);
  const Options options;
  const std::vector<std::string> none, two{"0", "1"};
  SECTION("here") {
    CHECK(gpus_of_worker(spec, options, two) == 0);
    spec.device = "auto";
    spec.gpu_share = 0.5;
    CHECK(gpus_of_worker(spec, options, none) == 0);
    CHECK(gpus_of_worker(spec, options, two) == 0.5);
  }
  SECTION("workers that join, or jobs, on other machines") {
    spec.device = GENERATE("cuda", "cuda:1");
    if (GENERATE(false, true)) spec.slurm = spec::Slurm{};
    CHECK(gpus_of_worker(spec, options, none) == 1);
    spec.gpus = 4;
    spec.nodes = 2;
    CHECK(gpus_of_worker(spec, options, none) == 8);
  }
  SECTION("jobs that may have none") {
    spec.device = "auto";
    spec.slurm = spec::Slurm{};
    CHECK(gpus_of_worker(spec, options, two) == 0);
    SECTION("gres") { spec.slurm->gres = "gpu:1"; }
    SECTION("another option of sbatch") { spec.slurm->args = {"--gpus=1"}; }
    SECTION("resources.gpus") { spec.gpus = 1; }
    CHECK(gpus_of_worker(spec, options, none) == 1);
  }
}

}  // namespace gpu_budget_test
