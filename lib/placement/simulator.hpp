// SPDX-License-Identifier: Apache-2.0
// One step of a placed model in virtual time. Every device computes one task after another, in the order in which they
// could begin or in turns; tensors travel meanwhile. The rules are those of Placeto's simulator (Addanki et al. 2019)
// where the link broadcasts; else each pair of devices has a link of its own.
#pragma once
#include <deque>
#include <optional>

#include "placement/cluster.hpp"
#include "placement/tasks.hpp"
#include "util/event_queue.hpp"

namespace dlrun::placement {

/// A task on a device, or a tensor on the link from one device to another (or to all).
struct Span {
  double begin = 0, end = 0;  ///< seconds
  int task = -1;              ///< on a device
  int tensor = -1;            ///< on a link
  int from = 0, to = 0;       ///< devices; to -1: all
};

struct Outcome {
  double seconds = 0;              ///< when the last task has ended
  std::vector<double> busy;        ///< seconds that each device computes
  std::vector<std::int64_t> peak;  ///< the most bytes that each device holds
  std::int64_t sent = 0;           ///< bytes
  int transfers = 0;
  std::vector<Span> spans;  ///< by begin
};

/// In which order devices compute and links send, if not whatever could begin first.
struct Turns {
  Lists tasks;         ///< each device's; empty: first come, first served
  Lists tensors = {};  ///< each link's, by Cluster::link_number(); empty: first come, first served
};

class Simulator {
 public:
  /// Both must outlive the simulator.
  Simulator(const Step& step, const Cluster& cluster) : step_(step), cluster_(cluster) {}

  /// From now on devices and links take these turns, and wait for what cannot begin yet.
  /// REQUIRES: all tasks of the placements that are played, and all transfers if there is one.
  void follow(Turns turns) { turns_ = std::move(turns); }

  /// From now on a device without turns computes, of the tasks that could begin, the one with the highest priority, and
  /// of equal ones the first that came. @param priorities  one for each task; empty: first come, first served
  void prefer(std::vector<double> priorities) { priorities_ = std::move(priorities); }

  /// When the last task has ended; infinite where some never begin, for turns wait for each other.
  /// REQUIRES: a device of the cluster for each node.
  double seconds(const Placement& placement);
  /// The same with all that happens.
  Outcome outcome(const Placement& placement);
  /// When each task began in the last step.
  const std::vector<double>& begins() const { return begins_; }
  /// Tasks of the last step in the order in which they began.
  const std::vector<int>& begun() const { return begun_; }

 private:
  enum class Kind { task_ends, device_is_free, tensor_arrives, link_is_free };
  struct Happening {
    Kind kind;
    int device = 0;  ///< device, or the link's first
    int what = 0;    ///< task, tensor or the link's number
    int to = 0;
  };
  struct Transfer {
    int tensor = 0, to = 0;
  };

  void reset(const Placement& placement);
  void play();
  void handle(const Happening& happening);
  void end(int task);
  void add_ready(int task);
  void make_ready(int task);
  void begin_next(int device);
  std::optional<int> take_next(int device);
  void give_out(int task);
  void send(int tensor);
  void queue(int from, int to, int tensor);
  std::optional<Transfer> take_transfer(int link);
  void begin_transfer(int from, int link);
  void arrive(int tensor, int to);
  int device_of(int task) const { return placement::device_of(step_, *placement_, task); }

  const Step& step_;
  const Cluster& cluster_;
  const Placement* placement_ = nullptr;
  std::vector<Span>* spans_ = nullptr;
  double now_ = 0, end_ = 0;
  std::size_t ended_ = 0;       ///< tasks
  std::vector<double> begins_;  ///< each task's, in seconds
  std::vector<int> begun_;
  EventQueue<Happening> events_;
  std::vector<int> missing_;            ///< tensors that each task waits for
  std::vector<std::deque<int>> ready_;  ///< by priority
  std::vector<double> priorities_;
  Turns turns_;
  std::vector<std::size_t> place_;  ///< tasks that each device has begun of its turns
  std::vector<std::size_t> sent_;   ///< tensors that each link has begun of its turns
  std::vector<char> is_busy_;
  std::vector<std::deque<Transfer>> waiting_;  ///< behind each link
  std::vector<char> is_sending_;
  std::vector<char> has_tensor_;  ///< devices that have it, or will
};

/// A step in turns.
Outcome outcome_of(const Step& step, const Cluster& cluster, const Placement& placement, const Turns& turns);

}  // namespace dlrun::placement
