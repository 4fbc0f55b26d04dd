// SPDX-License-Identifier: Apache-2.0
// Jobs of a Slurm whose commands are scripts of this test: which are submitted, given back and cancelled.
#include <cstdlib>
#include <fstream>
#include <list>

#include "executor/slurm_executor.hpp"
#include "remote_support.hpp"
#include "util/files.hpp"

namespace slurm_pool_test {

using namespace dlrun;
using namespace dlrun::executor;

namespace {

/// Submissions run at once, and stand in the queue until the test changes it.
struct Cluster : Fixture {
  support::TempFolder bin;
  SlurmOptions slurm;
  std::string path = std::getenv("PATH");
  std::list<Peer> peers;

  Cluster() {
    add("squeue", "touch queue; cat queue");
    add("scancel", "echo $* >> cancelled");
    add("sbatch",
        "echo >> submissions; n=$(wc -l < submissions); "
        "for i in $(seq 0 ${2#--array=0-}); do echo \"${n}_$i|RUNNING|n1|None\" >> queue; done; "
        "[ -e lie ] && { echo 'Socket timed out' >&2; exit 1; }; echo $n");
    ::setenv("PATH", (bin.path().string() + ":" + path).c_str(), 1);
    options.hang_seconds = 0;
    options.network->grace = 60;
    slurm.name = "dlrun-test";
    slurm.logs = folder.path() / "workers";
    slurm.poll = 0.05;
  }
  ~Cluster() {
    executor.reset();
    ::setenv("PATH", path.c_str(), 1);
  }
  void start(int workers) {
    static_cast<HubOptions&>(slurm) = options;
    executor = std::make_unique<SlurmExecutor>(slurm);
    executor->start(workers);
  }
  void add(const std::string& command, const std::string& text) const {
    write_file(bin.path() / command, "#!/bin/sh\ncd " + bin.path().string() + "\n" + text + "\n",
               {.durable = false, .mode = 0700});
  }
  std::string text_of(const std::string& file) const {
    std::ifstream in(bin.path() / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t submissions() const { return text_of("submissions").size(); }
  void show(const std::string& queue) const { write_file(bin.path() / "queue", queue, {.durable = false}); }
  void wait_for_jobs(std::size_t count) {
    while (submissions() < count) turn();
  }
  /// A worker of the job says hello. @return its number
  std::int64_t join(const std::string& job) {
    protocol::Hello hello{.version = version(), .role = "worker", .pid = 7, .host = "node7"};
    hello.session = "session " + std::to_string(peers.size());
    hello.token = "the token";
    hello.job = job;
    peers.emplace_back(*this).say(hello);
    REQUIRE(peers.back().hear<protocol::Welcome>());
    return next<WorkerReady>().worker;
  }
};

}  // namespace

// Three of four workers gave their places back, their job stayed, and nothing was submitted when there was more to do.
TEST_CASE("workers that share a job give their places back together", "[executor][slurm]") {
  Cluster c;
  c.slurm.workers_per_job = 2;
  c.slurm.idle = 0.2;
  c.start(4);
  c.wait_for_jobs(1);
  const std::int64_t busy = c.join("1_0");
  c.join("1_0");
  const std::int64_t first = c.join("1_1"), second = c.join("1_1");
  c.executor->send(busy, protocol::Assign{order(1)});
  c.executor->need(1);
  c.pass(1);
  CHECK(c.next<WorkerLeaves>().worker == first);
  CHECK(c.next<WorkerLeaves>().worker == second);
  CHECK_FALSE(c.find<WorkerLeaves>());
  CHECK(c.submissions() == 1);
}

// The job ran on, so its dead worker was waited for as for one whose network is away, and the place stayed empty.
TEST_CASE("a worker that ends alone in its job is lost soon, and replaced", "[executor][slurm]") {
  Cluster c;
  c.options.lost_after = 0.4;
  c.slurm.workers_per_job = 2;
  c.start(2);
  c.wait_for_jobs(1);
  const std::int64_t dead = c.join("1_0");
  c.join("1_0");
  c.executor->send(dead, protocol::Assign{order(1)});
  c.peers.pop_front();
  const auto live = [&] {
    c.peers.back().say(protocol::Heartbeat{1, 2});
    c.turn();
  };
  std::optional<WorkerEnded> ended;
  while (!ended) {
    live();
    ended = c.find<WorkerEnded>();
  }
  CHECK(ended->worker == dead);
  CHECK(ended->cause == trial::Cause::worker_lost);
  CHECK_THAT(ended->message, Contains("not heard of for 0.8 s, but others of its job were"));
  CHECK(ended->unfinished.size() == 1);
  while (c.submissions() < 2) live();
  for (const auto end = Clock::now() + std::chrono::seconds(1); Clock::now() < end;) live();
  CHECK(c.submissions() == 2);
}

TEST_CASE("where all workers of a job are away the network may be, and they are waited for", "[executor][slurm]") {
  Cluster c;
  c.options.lost_after = 0.2;
  c.slurm.workers_per_job = 2;
  c.start(2);
  c.wait_for_jobs(1);
  c.join("1_0");
  c.join("1_0");
  c.peers.clear();
  c.pass(1.5);
  CHECK_FALSE(c.find<WorkerEnded>());
  CHECK(c.submissions() == 1);
}

// A new version of dlrun: workers of the earlier driver end when they read that it is another one.
TEST_CASE("jobs that an earlier driver left brought workers to it, so others follow them", "[executor][slurm]") {
  Cluster c;
  c.show("7_0|RUNNING|n1|None\n7_1|RUNNING|n1|None\n7_2|RUNNING|n1|None\n");
  c.start(3);
  c.pass(0.3);
  CHECK(c.submissions() == 0);
  c.show("7_0|FAILED|n1|None\n7_1|FAILED|n1|None\n7_2|FAILED|n1|None\n");
  c.wait_for_jobs(1);
}

TEST_CASE("jobs of a submission that failed only in word are cancelled in the end", "[executor][slurm]") {
  Cluster c;
  write_file(c.bin.path() / "lie", "", {.durable = false});
  c.slurm.poll = 600;
  c.start(3);
  CHECK_THAT(c.next<Said>().text, Contains("sbatch failed"));
  c.executor.reset();
  CHECK(c.text_of("cancelled") == "--me --name=dlrun-test\n");
}

}  // namespace slurm_pool_test
