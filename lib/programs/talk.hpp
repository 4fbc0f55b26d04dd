// SPDX-License-Identifier: Apache-2.0
// The conversation of a worker with the keeper of a program: lines over a pair of sockets, JSON but for what the
// program printed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "programs/reports.hpp"
#include "programs/subprocess.hpp"
#include "trial/trial.hpp"

namespace dlrun::programs {

// ---- worker to keeper

/// The program goes on until its values of step `to` are there, or until it ends.
struct RunPiece {
  std::int64_t from = 0;
  std::int64_t to = 1;
  std::string folder = {};  ///< where the progress is written (ProgressFile); empty: nowhere
};
/// The program is asked to end; after the grace it is made to.
struct EndProgram {
  double grace = 0;       ///< seconds; 0: it is killed at once
  bool is_freed = false;  ///< an interpreter that can have another trial lives on, if it leaves this one in time
};
/// The next trial of an interpreter that is free.
struct NextTrial {
  std::string facts;  ///< as Start's, and so on
  std::string files;
  Reports::Options reports;
};
using Request = std::variant<RunPiece, EndProgram, NextTrial>;

// ---- keeper to worker

/// A line of output, or a remark about one.
struct Printed {
  Stream stream = Stream::out;
  std::string line;
};
/// Steps that are complete.
struct Measured {
  std::vector<trial::Report> reports;
};
/// A report came that is in no other answer, such as a step that is done again. One stands for those of a moment.
struct Alive {};
/// Why a program could not be started.
enum class StartFault { none, program, machine };

/// The piece is over, and the program waits or has ended.
struct PieceOver {
  bool is_parked = false;
  bool is_lost = false;  ///< the keeper has died, and the program with it
  StartFault fault = StartFault::none;
  int status = 0;  ///< as wait() gives it, of a program that has ended
  std::vector<trial::Report> reports;
  std::optional<Checkpoint> checkpoint;  ///< the newest of a step of the piece or before; an absolute path
  std::optional<Checkpoint> examples;    ///< results of examples of the newest step that has some; an absolute path
  std::set<std::string> names;           ///< metrics that the program has ever reported
  std::int64_t beyond = 0;               ///< as Reports
  std::int64_t newest = 0;               ///< as Reports
  std::int64_t repeated = 0;
  std::int64_t peak_rss = 0;  ///< bytes that the largest of its processes has held
  std::int64_t held = 0;      ///< bytes that a program which waits holds, with all below it
  std::string socket;         ///< name at which other workers of this host may ask for the next piece
  std::string message;        ///< why it was not started or cannot go on; empty: its status says so
  bool is_oom = false;        ///< the program says that no memory was found
  bool has_client = false;    ///< the program waits by itself: nothing is stopped
  bool is_free = false;       ///< `status` is the trial's; the interpreter can have another one
};
/// To the worker that started the program: another one runs a piece of it, or has run one.
struct Lent {
  bool is_lent = false;
  std::int64_t step = 0;  ///< the program waits behind this step; -1: it has ended
  double objective = 0;   ///< objective there
  std::int64_t held = 0;  ///< bytes
};
/// The interpreter has left its trial, and can have another one.
struct Free {};
/// The last word of a keeper: nothing is left of the program.
struct Gone {};
using Answer = std::variant<Printed, Measured, Alive, PieceOver, Lent, Free, Gone>;

/// Without the newline.
std::string to_line(const Request& request);
std::string to_line(const Answer& answer);
/// @throws Error for a line that is none
Request request_of(const std::string& line);
Answer answer_of(const std::string& line);

/// Start of a keeper, as bytes: texts of a program need not be UTF-8.
struct Start {
  Launch launch;
  std::string files;  ///< folder to which paths of checkpoints are relative
  Reports::Options reports;
  std::string facts = {};    ///< first line that the program hears: a JSON object; empty: none
  bool is_reusable = false;  ///< the program runs one trial after another
};
std::string to_bytes(const Start& start);
Start start_of(const std::string& bytes);

}  // namespace dlrun::programs
