// SPDX-License-Identifier: Apache-2.0
// Source of workers: processes started here, or jobs of a cluster. The hub asks a pool to keep workers alive, and
// reports the ended ones to it. Private to this room.
#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "executor/worker.hpp"

namespace dlrun::executor {

/// Parts of the hub that its pool may use.
struct PoolView {
  boost::asio::io_context& loop;
  const std::filesystem::path& socket;            ///< address for workers of this machine
  std::vector<std::unique_ptr<Worker>>& workers;  ///< workers that have not ended; the pool adds to them
  std::vector<Happening>& happenings;             ///< the pool adds events for the driver
  std::int64_t& next_number;                      ///< number of the next worker; never used twice
};

class Pool {
 public:
  virtual ~Pool() = default;

  /// @param workers  number of workers wanted @throws Error(usage) if there cannot be so many
  virtual void start(int workers) = 0;
  /// Starts missing workers; called at every turn of the loop unless the hub is shutting down.
  /// @throws Error(no_worker) if workers cannot be started or end again and again before they are ready.
  virtual void keep(PoolView view) = 0;
  /// A worker that this pool did not start says hello. It is admitted, or `refusal` says why not.
  struct Meeting {
    std::unique_ptr<Worker> worker;
    std::string refusal;
  };
  virtual Meeting meet(const protocol::Hello& hello, PoolView view);
  /// A worker said hello.
  virtual void is_ready(const Worker& worker) = 0;
  /// A worker is over. @param is_expected it was told to end
  virtual void has_ended(const Worker& worker, bool is_expected) = 0;
  /// Number of workers that could have work now; called at every round.
  virtual void need(int) {}
  /// No more workers are wanted, and all have been told to end. keep() is not called again.
  virtual void shut_down(PoolView) {}
  /// After shut_down(), at every turn of the loop: must the hub wait for anything besides workers?
  virtual bool is_busy(PoolView) { return false; }
};

}  // namespace dlrun::executor
