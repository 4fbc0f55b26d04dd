// SPDX-License-Identifier: Apache-2.0
#include "executor_bench.hpp"

#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "seen_by_driver.hpp"
#include "support/temp_folder.hpp"

namespace dlrun::contract {

namespace {

trial::PieceOrder order_of(std::int64_t trial) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(trial);
  order.attempt = 1;
  order.to_step = 1;
  order.params = {{"x", 0.5}};
  return order;
}

/// Processes of dlrun-worker that compute a test function.
class LocalBench final : public ExecutorBench {
 public:
  LocalBench() {
    executor::LocalOptions options;
    options.binary = DLRUN_WORKER;
    options.folder = runtime_ = executor::runtime_folder(folder_.path().string());
    options.logs = folder_.path() / "workers";
    options.setup.study = "s";
    options.setup.metric = "value";
    options.setup.trial = {{"kind", "function"}, {"function", {{"op", "sphere"}}}};
    options.setup.parameters = Json::object();
    options.setup.artifacts = (folder_.path() / "artifacts").string();
    executor_ = std::make_unique<executor::LocalExecutor>(options);
  }
  ~LocalBench() override {
    executor_.reset();
    std::error_code none;
    std::filesystem::remove_all(runtime_, none);
  }
  executor::Executor& executor() override { return *executor_; }
  trial::PieceOrder good(std::int64_t trial) const override { return order_of(trial); }
  trial::PieceOrder endless(std::int64_t trial) const override { return with(trial, {{"function.sleep", 10'000}}); }
  trial::PieceOrder deadly(std::int64_t trial) const override { return with(trial, {{"function.fault", "kill"}}); }

 private:
  static trial::PieceOrder with(std::int64_t trial, Json sets) {
    trial::PieceOrder order = order_of(trial);
    order.sets = std::move(sets);
    return order;
  }

  support::TempFolder folder_;
  std::filesystem::path runtime_;
  std::unique_ptr<executor::Executor> executor_;
};

/// The workers of tests/sim/driver, in virtual time.
class SimulatedBench final : public ExecutorBench {
 public:
  explicit SimulatedBench(Orders orders) { scenario_.weather.death = orders == Orders::deadly ? 1 : 0; }
  executor::Executor& executor() override { return executor_; }
  trial::PieceOrder good(std::int64_t trial) const override { return order_of(trial); }
  trial::PieceOrder endless(std::int64_t trial) const override {
    trial::PieceOrder order = order_of(trial);
    order.to_step = 100'000'000;
    return order;
  }
  trial::PieceOrder deadly(std::int64_t trial) const override { return order_of(trial); }

 private:
  driver_sim::Scenario scenario_;
  driver_sim::Timeline timeline_;
  driver_sim::Fate fate_;
  driver_sim::Machines machines_{scenario_, timeline_};
  driver_sim::SimExecutor executor_{machines_, timeline_, fate_};
};

}  // namespace

std::vector<std::string> executor_kinds() { return {"local", "simulated"}; }

std::unique_ptr<ExecutorBench> executor_bench(const std::string& kind, Orders orders) {
  if (kind == "local") return std::make_unique<LocalBench>();
  return std::make_unique<SimulatedBench>(orders);
}

}  // namespace dlrun::contract
