// SPDX-License-Identifier: Apache-2.0
// Workers, messages and a driver under a virtual clock. The driver does what the real one must: an event is committed
// before it counts, decisions are recorded before their effects leave, results come back until acknowledged.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "scenario.hpp"
#include "util/event_queue.hpp"
#include "util/random.hpp"

namespace dlrun::sim {

using LogRow = std::variant<study::Event, study::Decision>;

/// What a run leaves behind.
struct Run {
  std::vector<LogRow> log;              ///< as committed
  std::unique_ptr<study::Study> study;  ///< at the end
  std::vector<std::string> faults;      ///< broken promises, empty if all is well
  std::vector<Stint> stints;            ///< in the order they began
  double busy = 0;                      ///< seconds of work, repeated work included
  double makespan = 0;
  int crashes = 0, deaths = 0, stale = 0;
  int adopted = 0;                ///< attempts that went on without the driver that began them
  int free = 0;                   ///< attempts that failed by what costs none
  int copies = 0, overtaken = 0;  ///< attempts begun beside another, and those that were not home first
};

class World {
 public:
  explicit World(const Scenario& scenario);
  Run run();

 private:
  enum class Kind { result, lost, overdue, worker_free, worker_back, go_on };
  struct Happening {
    Kind kind;
    std::size_t worker = 0;
    study::StartPiece piece{};
  };
  struct Crash {};  ///< thrown where the driver dies

  void play();
  void amend();
  bool is_amended() const;
  void happen(double after, Kind kind, std::size_t worker, const study::StartPiece& piece);
  void handle(const Happening& h);
  void take_result(const study::StartPiece& piece);
  void lose(const study::StartPiece& piece, trial::Cause cause);
  void commit(const study::Event& event);
  void count_early(const study::Event& event);
  void leave_early(const study::Event& event);
  void decide();
  void record(const study::Output& out);
  void log(const study::Output& out);
  void carry_out(const study::Output& out);
  void maybe_crash();
  void maybe_stop();
  study::Output resume_work();
  void restart();
  void dispatch();
  void drop(const study::AbandonPiece& abandon);
  void begin_decided();
  void copy_something();
  void begin(std::size_t worker, const study::StartPiece& piece);
  study::StartPiece take_piece();
  trial::PieceResult result_of(const study::StartPiece& piece);
  bool chance(double probability) { return probability > 0 && random_.uniform() < probability; }
  double duration(const study::StartPiece& piece);

  const Scenario& scenario_;
  RandomStream random_;
  Run out_;
  double now_ = 0;
  EventQueue<Happening> happenings_;
  std::vector<study::StartPiece> queue_;  ///< decided, with no worker yet
  std::vector<study::StartPiece> begun_;  ///< that may still run
  std::set<std::size_t> idle_;            ///< workers
  std::set<trial::Member> had_transient_;
  std::set<std::pair<trial::PieceKey, int>> started_;
};

}  // namespace dlrun::sim
