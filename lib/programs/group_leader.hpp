// SPDX-License-Identifier: Apache-2.0
// The one process that all copies of a program with several hosts are tied to. Private to this room.
#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "process/child.hpp"
#include "programs/channel.hpp"
#include "programs/group_place.hpp"
#include "util/descriptor.hpp"

namespace dlrun::programs {

/// Copies of a program, its ranks, that start together and end together.
///
/// srun alone does not do: it starts programs as their hosts are ready, SIGTERM to it kills them without a grace, and
/// its exit code is the highest of all, also of those that it killed. So each rank connects to the leader first, waits
/// until all have, and says at last how its program ended. The first failure is the group's; then the others are asked
/// to end, and killed after a grace. A connection that breaks is a lost host. A rank whose leader has gone ends by
/// itself.
class GroupLeader {
 public:
  struct Options {
    int nodes = 1;
    int gpus = 0;
    std::vector<std::string> command;  ///< program and arguments of a rank
    int stop = -1;                     ///< signalfd of SIGTERM: the group is asked to end
  };
  /// Starts srun.
  explicit GroupLeader(Options options);

  /// End of the group: the status of its first failure, as wait() gives it, or 0.
  struct Ending {
    int status = 0;
    std::string lost;  ///< host or copy that was lost; empty: none
  };
  Ending run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    Channel channel;
    std::string host;
    int port = 0;
    bool is_over = false;
  };
  struct Guest {
    Descriptor socket;
    std::string token;
  };

  void wait();
  int milliseconds_left() const;
  void give_up();
  void accept();
  void admit(std::size_t index);
  void join(Channel channel);
  void begin();
  void hear(std::size_t rank);
  void note_line(std::size_t rank, const std::string& line);
  void note_end(std::size_t rank, int status);
  void note_end_of_srun();
  void lose(const std::string& what);
  void fail(Ending ending);
  void ask_to_end();
  void tell_all_to_end();
  bool is_over() const;
  std::size_t count() const;
  std::string name(std::size_t rank) const;

  Options options_;
  GroupPlace place_;
  Descriptor listener_;
  process::Child srun_;
  std::deque<Guest> guests_;                ///< connections that have not shown the token
  std::vector<std::optional<Rank>> ranks_;  ///< nullopt: it has not come
  bool has_begun_ = false;
  bool is_over_ = false;
  bool srun_has_ended_ = false;
  bool is_asked_ = false;
  std::optional<Ending> ending_;
  Clock::time_point deadline_;  ///< the group is over then, whatever it does; max(): none
};

}  // namespace dlrun::programs
