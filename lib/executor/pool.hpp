// SPDX-License-Identifier: Apache-2.0
// Where workers come from: processes started here, jobs of a cluster. The hub asks it to keep workers alive and tells
// it of those that have ended. Private to this room.
#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "executor/worker.hpp"

namespace dlrun::executor {

/// View of the hub that its pool has.
struct PoolView {
  boost::asio::io_context& loop;
  const std::filesystem::path& socket;            ///< where workers of this machine connect
  std::vector<std::unique_ptr<Worker>>& workers;  ///< workers that have not ended; the pool adds to them
  std::vector<Happening>& happenings;             ///< the pool adds what the driver should know
  std::int64_t& next_number;                      ///< number of the next worker; never used twice
};

class Pool {
 public:
  virtual ~Pool() = default;

  /// @param workers  number of workers wanted    @throws Error(usage) if they cannot all be had
  virtual void start(int workers) = 0;
  /// Starts what is missing; called at every turn of the loop unless the hub is shutting down.
  /// @throws Error(no_worker) if workers cannot be started or end again and again before they are ready.
  virtual void keep(PoolView view) = 0;
  /// A worker that this pool did not start says hello. It is taken in, or `refusal` says why not.
  struct Meeting {
    std::unique_ptr<Worker> worker;
    std::string refusal;
  };
  virtual Meeting meet(const protocol::Hello& hello, PoolView view);
  /// A worker said hello.
  virtual void is_ready(const Worker& worker) = 0;
  /// A worker is over. @param is_expected it was told to end
  virtual void has_ended(const Worker& worker, bool is_expected) = 0;
  /// So many workers could have work now; called at every round.
  virtual void need(int) {}
  /// No more workers are wanted; those that are there were told so. keep() is called no more.
  virtual void shut_down(PoolView) {}
  /// Is anything left that has to be waited for? Called after shut_down(), at every turn of the loop.
  virtual bool is_busy(PoolView) { return false; }
};

}  // namespace dlrun::executor
