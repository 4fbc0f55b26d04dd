// SPDX-License-Identifier: Apache-2.0
// Executors under one test: the one with real workers, and the one that the simulation puts in its place.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "executor/executor.hpp"

namespace dlrun::contract {

/// An executor, and orders with a known end for its workers.
class ExecutorBench {
 public:
  virtual ~ExecutorBench() = default;
  virtual executor::Executor& executor() = 0;
  /// An order of one epoch that completes with the metric `value`; all of these are attempt 1 of the trial.
  virtual trial::PieceOrder good(std::int64_t trial) const = 0;
  /// An order that takes longer than any test waits.
  virtual trial::PieceOrder endless(std::int64_t trial) const = 0;
  /// An order whose worker dies while it runs it. REQUIRES: made for deadly orders.
  virtual trial::PieceOrder deadly(std::int64_t trial) const = 0;
};

/// Fate of an executor's workers. An executor of the simulation has one weather for all orders.
enum class Orders { harmless, deadly };

/// Kinds of executors: "local" (processes of dlrun-worker), "simulated".
std::vector<std::string> executor_kinds();
std::unique_ptr<ExecutorBench> executor_bench(const std::string& kind, Orders orders);

}  // namespace dlrun::contract
