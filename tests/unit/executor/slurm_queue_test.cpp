// SPDX-License-Identifier: Apache-2.0
// Answers of Slurm 22.05, and answers that make no sense.
#include "executor/slurm/queue.hpp"

#include "support/catch.hpp"

namespace slurm_queue_test {

using namespace dlrun;
using namespace dlrun::executor;
using Catch::Matchers::Contains;

TEST_CASE("the queue is read as squeue prints it", "[executor][slurm]") {
  const auto jobs = read_queue(
      "3_2|PENDING||Priority\n"
      "3_0|RUNNING|n1|None\n"
      "3_1|COMPLETING|n2|JobLaunchFailure\n"
      "2_0|PENDING||(Nodes required for job are DOWN, DRAINED or reserved)\n"
      "1_0|TIMEOUT|n1|TimeLimit\n");
  REQUIRE(jobs.size() == 5);
  CHECK(jobs[0].id == "3_2");
  CHECK(jobs[0].phase == JobPhase::waiting);
  CHECK(jobs[0].reason == "Priority");
  CHECK(jobs[1].phase == JobPhase::running);
  CHECK(jobs[1].nodes == "n1");
  CHECK(jobs[2].phase == JobPhase::over);
  CHECK(jobs[3].reason == "(Nodes required for job are DOWN, DRAINED or reserved)");
  CHECK(jobs[4].phase == JobPhase::over);
  CHECK(read_queue("").empty());
}

TEST_CASE("a state that is new to us takes no other job's place", "[executor][slurm]") {
  CHECK(phase_of("EXPEDITING") == JobPhase::running);
  for (const char* back : {"PENDING", "REQUEUED", "CONFIGURING", "REQUEUE_HOLD"}) {
    CHECK(phase_of(back) == JobPhase::waiting);
  }
  for (const char* over : {"CANCELLED", "FAILED", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "BOOT_FAIL"}) {
    CHECK(phase_of(over) == JobPhase::over);
  }
}

TEST_CASE("what is no queue is not taken for an empty one", "[executor][slurm]") {
  CHECK_THROWS_WITH(read_queue("slurm_load_jobs error: Unable to contact slurm controller\n"), Contains("squeue"));
  CHECK_THROWS_WITH(read_queue("1|RUNNING\n"), Contains("1|RUNNING"));
  CHECK_THROWS_WITH(read_queue("|RUNNING|n|None\n"), Contains("squeue"));
}

TEST_CASE("a submitted job has a number", "[executor][slurm]") {
  CHECK(read_submitted("123\n") == "123");
  CHECK(read_submitted("123;cluster\n") == "123");
  CHECK_THROWS_WITH(read_submitted("Submitted batch job 123\n"), Contains("instead of a job's number"));
  CHECK_THROWS_WITH(read_submitted(""), Contains("instead of a job's number"));
}

}  // namespace slurm_queue_test
