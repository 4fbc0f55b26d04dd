// SPDX-License-Identifier: Apache-2.0
#include "driver/metering.hpp"

#include "support/catch.hpp"

namespace metering_test {

using namespace dlrun;
using namespace dlrun::driver;
using std::chrono::seconds;

namespace {

/// Takes so many watts, or is not known.
class FakeCounter final : public energy::Counter {
 public:
  FakeCounter(energy::Source source, const std::optional<double>& watts, std::string device, int& reads)
      : source_(source), watts_(watts), device_(std::move(device)), reads_(reads) {}
  energy::Source source() const override { return source_; }
  std::string device() const override { return device_; }
  std::optional<double> read_joules(double seconds) override {
    ++reads_;
    return watts_ ? std::optional(*watts_ * seconds) : std::nullopt;
  }

 private:
  energy::Source source_;
  const std::optional<double>& watts_;
  std::string device_;
  int& reads_;
};

Work work(std::int64_t trial) { return {{{{trial::TrialId(trial), 0, 0}, 0}, 1, 0, 1, ""}}; }

/// A run with a clock of its own, two workers on this machine and one CPU of 100 W.
struct Run {
  std::optional<double> cpu = 100;
  int reads = 0;  ///< of all counters
  std::vector<std::unique_ptr<energy::Counter>> counters;
  Metering::Clock::time_point now{};
  std::optional<Metering> metering;

  Run() { add(energy::Source::cpu, cpu, ""); }
  void add(energy::Source source, const std::optional<double>& watts, const std::string& device) {
    counters.push_back(std::make_unique<FakeCounter>(source, watts, device, reads));
  }
  Metering& start(const std::string& gpu_of_0 = "", const std::string& gpu_of_1 = "") {
    metering.emplace(std::move(counters), now);
    metering->worker_ready(0, gpu_of_0);
    metering->worker_ready(1, gpu_of_1);
    return *metering;
  }
  void pass(int duration, const std::vector<Placement>& running) {
    now += seconds(duration);
    metering->pass(now, running);
  }
  /// "trial source joules", each; `?` where they are not known.
  std::vector<std::string> taken() {
    std::vector<std::string> out;
    for (const Metering::Taken& t : metering->take_ended()) {
      out.push_back(std::to_string(t.attempt.piece.member.trial.value) + " " + t.source + " " +
                    (t.joules ? std::to_string(int(*t.joules + 0.5)) : "?"));
    }
    return out;
  }
  std::vector<std::string> rest() {
    std::vector<std::string> out;
    for (const Metering::Rest& r : metering->take_rest())
      out.push_back(r.what + " " + r.source + " " + (r.joules ? std::to_string(int(*r.joules + 0.5)) : "?"));
    return out;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("attempts that overlap share what their machine spent, and nothing is lost", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  run.pass(3, {{0, work(0)}});                // idle: 300 J
  run.pass(2, {{0, work(0)}, {1, work(1)}});  // 0 alone: 200 J
  metering.ended(0, work(0), 6);
  run.pass(4, {{1, work(1)}});  // both: 200 J each
  CHECK(run.taken() == Texts{"0 cpu 400"});
  metering.ended(1, work(1), 9);
  run.pass(5, {});  // 1 alone: 500 J
  CHECK(run.taken() == Texts{"1 cpu 700"});
  run.now += seconds(1);
  metering.end(run.now);  // idle: 100 J
  CHECK(run.taken().empty());
  CHECK(run.rest() == Texts{"idle cpu 400"});
}

TEST_CASE("pieces that a worker ended since the last round share its time by what each took", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  run.pass(0, {{0, work(0)}});
  metering.ended(0, work(0), 0.3);
  metering.ended(0, work(1), 0.1);
  run.pass(1, {{0, work(2)}});
  CHECK(run.taken() == Texts{"0 cpu 75", "1 cpu 25"});
  metering.ended(0, work(2), 0);
  metering.ended(0, work(3), 0);
  run.pass(1, {});
  CHECK(run.taken() == Texts{"2 cpu 50", "3 cpu 50"});
}

TEST_CASE("counters are read when attempts have ended, else now and then", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  const std::vector<Placement> running{{0, work(0)}, {1, work(1)}};
  run.pass(0, running);
  const auto reads_after = [&](int milliseconds) {
    run.now += std::chrono::milliseconds(milliseconds);
    metering.pass(run.now, {{1, work(1)}});
    return std::exchange(run.reads, 0);
  };
  CHECK(reads_after(30) == 0);
  metering.ended(0, work(0), 0.03);
  CHECK(reads_after(30) == 1);
  CHECK(reads_after(30) == 0);
  CHECK(reads_after(500) == 1);
}

TEST_CASE("tests and repairs are no attempts, however many there were", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  for (int i = 0; i < 5; ++i) {
    run.pass(0, {{0, work(i)}});
    metering.ended(0, work(i), 1);
    run.pass(1, {});
  }
  CHECK(run.taken().size() == 5);
  Work test = work(8), repair = work(9);
  test.is_test = repair.is_repair = true;
  run.pass(0, {{0, test}, {1, repair}, {1, work(5)}});
  run.pass(0, {{0, test}, {1, repair}});
  run.now += seconds(2);
  metering.end(run.now);
  CHECK(run.rest() == Texts{"test cpu 100", "repair cpu 100"});
}

TEST_CASE("an attempt during which a counter failed is not known, the next one is", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  run.pass(0, {{0, work(0)}});
  run.pass(1, {{0, work(0)}});
  run.cpu.reset();
  run.pass(1, {{0, work(0)}});
  run.cpu = 50;
  metering.ended(0, work(0), 3);
  run.pass(1, {{0, work(1)}});
  CHECK(run.taken() == Texts{"0 cpu ?"});
  metering.ended(0, work(1), 2);
  run.pass(2, {});
  CHECK(run.taken() == Texts{"1 cpu 100"});
}

TEST_CASE("a GPU is shared among its own workers only", "[driver][metering]") {
  Run run;
  std::optional<double> a = 300, b = 200;
  run.add(energy::Source::gpu, a, "0");
  run.add(energy::Source::gpu, b, "1");
  Metering& metering = run.start("0", "1");
  run.pass(0, {{0, work(0)}, {1, work(1)}});
  metering.ended(0, work(0), 2);
  run.pass(2, {{1, work(1)}});
  CHECK(run.taken() == Texts{"0 cpu 100", "0 gpu 600"});
  metering.ended(1, work(1), 4);
  run.pass(2, {});
  CHECK(run.taken() == Texts{"1 cpu 300", "1 gpu 800"});
  metering.end(run.now);
  CHECK(run.rest() == Texts{"idle gpu 600"});
}

TEST_CASE("workers of other machines take nothing of this one", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  run.pass(0, {{0, work(0)}, {5, work(1)}});
  metering.ended(5, work(1), 1);
  metering.ended(0, work(0), 1);
  run.pass(1, {});
  CHECK(run.taken() == Texts{"0 cpu 100"});
}

TEST_CASE("what still ran at the end is told, and the test split has an account of its own", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  Work test = work(0);
  test.is_test = true;
  run.pass(0, {{0, work(0)}, {1, test}});
  run.now += seconds(1);
  metering.end(run.now);
  CHECK(run.taken() == Texts{"0 cpu 50"});
  CHECK(run.rest() == Texts{"test cpu 50"});
}

TEST_CASE("an order that never began has taken nothing", "[driver][metering]") {
  Run run;
  Metering& metering = run.start();
  run.pass(0, {{0, work(0)}});
  metering.ended(0, work(0), 1);
  metering.ended(0, work(1), 0);  // given ahead and cancelled
  run.pass(1, {});
  CHECK(run.taken() == Texts{"0 cpu 100"});
}

}  // namespace metering_test
