// SPDX-License-Identifier: Apache-2.0
#include "executor/local_worker.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

#include "support/catch.hpp"

namespace local_worker_test {

using namespace dlrun::executor;

namespace {

/// Workers that end as soon as they were started: there is nothing they could connect to.
struct Fixture {
  std::filesystem::path folder;
  LocalOptions options;
  boost::asio::io_context loop;

  Fixture() {
    std::string name = "/tmp/dlrun-worker-XXXXXX";
    folder = ::mkdtemp(name.data());
    options.binary = DLRUN_WORKER;
    options.logs = folder;
  }
  ~Fixture() { std::filesystem::remove_all(folder); }

  std::unique_ptr<LocalWorker> start() {
    return std::make_unique<LocalWorker>(loop, options, folder / "nobody.sock", 0, Places{});
  }
};

/// Leaves it to be reaped.
void await_end(std::int64_t pid) {
  siginfo_t how{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT) == 0);
}

}  // namespace

TEST_CASE("the loop is woken by the end of a worker", "[executor]") {
  Fixture fixture;
  const auto worker = fixture.start();
  while (!worker->has_ended()) fixture.loop.run_one();
  CHECK(worker->is_over());
}

// Shows itself under the address sanitizer.
TEST_CASE("a worker that is gone is not looked at by what the loop still has to call", "[executor]") {
  Fixture fixture;
  SECTION("it goes while the loop waits for its end") {
    auto worker = fixture.start();
    worker.reset();
    CHECK(fixture.loop.poll() == 1);
  }
  SECTION("it goes between its end and the call for it") {
    std::vector<std::unique_ptr<LocalWorker>> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(fixture.start());
    for (const auto& worker : workers) await_end(worker->pid());  // one look of the loop finds them all
    fixture.loop.run_one();
    workers.clear();
    CHECK(fixture.loop.poll() >= 2);
  }
}

}  // namespace local_worker_test
