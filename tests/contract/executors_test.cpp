// SPDX-License-Identifier: Apache-2.0
// Duties of every executor to the driver (lib/executor/executor.hpp), the simulated one too: the driver's simulation
// proves nothing if its workers do what no real worker does.
#include <chrono>
#include <set>
#include <typeinfo>

#include "executor_bench.hpp"
#include "support/catch.hpp"

namespace executors_test {

using namespace dlrun;
using namespace dlrun::contract;
using namespace dlrun::executor;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// An executor that has started, and what it told.
class Subject {
 public:
  Subject(const std::string& kind, Orders orders, int workers) : bench_(executor_bench(kind, orders)) {
    bench_->executor().start(workers);
  }

  ExecutorBench& bench() { return *bench_; }
  Executor& executor() { return bench_->executor(); }
  void assign(std::int64_t worker, const trial::PieceOrder& order) { executor().send(worker, protocol::Assign{order}); }

  /// The next happening of this kind; others that come before it are kept.
  template <class T>
  T next() {
    for (int i = 0; i < 3000; ++i) {
      for (auto at = told_.begin(); at != told_.end(); ++at) {
        if (!std::holds_alternative<T>(*at)) continue;
        T found = std::get<T>(*at);
        told_.erase(at);
        return found;
      }
      listen(milliseconds(100));
    }
    FAIL("waited long for a happening of type " << typeid(T).name());
    throw 0;
  }

  /// How many happenings of this kind wait to be read.
  template <class T>
  int count() const {
    int count = 0;
    for (const Happening& one : told_) count += std::holds_alternative<T>(one) ? 1 : 0;
    return count;
  }

  void listen(milliseconds most) {
    for (Happening& one : executor().wait(most)) told_.push_back(std::move(one));
  }

 private:
  std::unique_ptr<ExecutorBench> bench_;
  std::vector<Happening> told_;
};

std::int64_t trial_of(const AttemptKey& attempt) { return attempt.piece.member.trial.value; }
std::int64_t trial_of(const ResultCame& came) { return came.result.key.member.trial.value; }

}  // namespace

TEST_CASE("as many workers become ready as were started, each with a number of its own", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 3);
  CHECK(subject.executor().alive() == 3);
  std::set<std::int64_t> numbers;
  for (int i = 0; i < 3; ++i) {
    const auto ready = subject.next<WorkerReady>();
    numbers.insert(ready.worker);
    CHECK(ready.holds.empty());
    CHECK_FALSE(ready.has_joined);
  }
  CHECK(numbers.size() == 3);
  CHECK(subject.executor().alive() == 3);
}

TEST_CASE("a worker carries its orders out one after the other, and each has one result", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  for (int trial = 0; trial < 10; ++trial) subject.assign(worker, subject.bench().good(trial));
  for (int trial = 0; trial < 10; ++trial) {
    const auto came = subject.next<ResultCame>();
    CHECK(came.worker == worker);
    CHECK(trial_of(came) == trial);
    CHECK(came.result.attempt == 1);
    CHECK(came.result.outcome == trial::Outcome::completed);
    REQUIRE(came.result.reports.size() == 1);
    CHECK(came.result.reports[0].metrics.at(0).name == "value");
    subject.executor().send(worker, protocol::Ack{came.result.key, came.result.attempt});
  }
  subject.listen(milliseconds(50));
  CHECK(subject.count<ResultCame>() == 0);
}

TEST_CASE("reports of an attempt come before its result", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  for (int trial = 0; trial < 20; ++trial) subject.assign(worker, subject.bench().good(trial));
  std::set<std::int64_t> ended;
  while (ended.size() < 20) {
    for (const Happening& one : subject.executor().wait(milliseconds(100))) {
      if (const auto* report = std::get_if<ReportCame>(&one)) CHECK_FALSE(ended.contains(trial_of(report->attempt)));
      if (const auto* result = std::get_if<ResultCame>(&one)) ended.insert(trial_of(*result));
    }
  }
}

TEST_CASE("an attempt that is given up is answered as cancelled, also if it has not begun", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  subject.assign(worker, subject.bench().endless(1));
  subject.assign(worker, subject.bench().good(2));
  subject.assign(worker, subject.bench().good(3));
  subject.executor().send(worker, protocol::Abandon{subject.bench().good(2).key, 1});
  subject.executor().send(worker, protocol::Abandon{subject.bench().endless(1).key, 1});
  std::set<std::int64_t> cancelled;
  for (int i = 0; i < 2; ++i) {
    const auto came = subject.next<ResultCame>();
    CHECK(came.result.cause == trial::Cause::cancelled);
    cancelled.insert(trial_of(came));
  }
  CHECK(cancelled == std::set<std::int64_t>{1, 2});
  const auto last = subject.next<ResultCame>();
  CHECK(trial_of(last) == 3);
  CHECK(last.result.outcome == trial::Outcome::completed);
}

TEST_CASE("of a worker that dies the unfinished orders are named, and another worker comes", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::deadly, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  subject.assign(worker, subject.bench().deadly(1));
  subject.assign(worker, subject.bench().deadly(2));
  const auto ended = subject.next<WorkerEnded>();
  CHECK(ended.worker == worker);
  CHECK_FALSE(ended.is_expected);
  CHECK(ended.cause == trial::Cause::worker_lost);
  CHECK_THAT(ended.message, Contains("killed by signal 9"));
  REQUIRE(ended.unfinished.size() == 2);
  CHECK(trial_of(ended.unfinished[0]) == 1);
  CHECK(trial_of(ended.unfinished[1]) == 2);
  const auto next = subject.next<WorkerReady>();
  CHECK(next.worker != worker);
  CHECK(next.holds.empty());
  CHECK(subject.executor().alive() == 1);
  CHECK(subject.count<ResultCame>() == 0);
}

TEST_CASE("orders to a worker that has ended are lost without harm", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::deadly, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  subject.assign(worker, subject.bench().deadly(1));
  subject.next<WorkerEnded>();
  subject.assign(worker, subject.bench().deadly(2));
  CHECK(subject.next<WorkerReady>().worker != worker);
  CHECK(subject.count<ResultCame>() == 0);
}

TEST_CASE("an executor that shuts down ends every worker and starts none", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 2);
  const std::int64_t busy = subject.next<WorkerReady>().worker;
  subject.next<WorkerReady>();
  subject.assign(busy, subject.bench().endless(1));
  subject.executor().flush();
  subject.executor().shut_down(seconds(30));
  for (int i = 0; i < 2; ++i) CHECK(subject.next<WorkerEnded>().is_expected);
  subject.listen(milliseconds(100));
  CHECK(subject.executor().alive() == 0);
  CHECK(subject.count<WorkerReady>() == 0);
}

TEST_CASE("the time up to which messages were read never runs backwards", "[contract][executor]") {
  const std::string kind = GENERATE(from_range(executor_kinds()));
  Subject subject(kind, Orders::harmless, 1);
  const std::int64_t worker = subject.next<WorkerReady>().worker;
  auto read = subject.executor().read_up_to();
  for (int trial = 0; trial < 5; ++trial) {
    subject.assign(worker, subject.bench().good(trial));
    subject.next<ResultCame>();
    CHECK(subject.executor().read_up_to() >= read);
    read = subject.executor().read_up_to();
  }
}

}  // namespace executors_test
