// SPDX-License-Identifier: Apache-2.0
// One simulated study and what happens to it, all from a seed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::driver_sim {

/// What goes wrong. Numbers without a unit are probabilities.
struct Weather {
  double epoch = 0.02;     ///< seconds of an epoch
  double noise = 0;        ///< a piece takes up to so many times longer
  double straggler = 0;    ///< per piece: it takes 30 times as long
  double death = 0;        ///< per piece: its worker dies on the way
  double silence = 0;      ///< per piece: a joined worker is taken for dead and comes back with what it has
  double leaving = 0;      ///< per piece: its worker says that it leaves, and ends after it
  double transient = 0;    ///< per member: its first attempt is killed by a signal
  double lacking = 0;      ///< per piece: its machine lacks something, once
  double repeated = 0;     ///< per result: it is delivered twice
  double forged = 0;       ///< per result: its worker sends a wrong one of another worker's piece too
  double lag = 0;          ///< longest way of a message, in seconds; results of several workers overtake one another
  int lives = 1;           ///< drivers that die before one is let live
  std::int64_t calls = 0;  ///< that a driver lives for, at most
  double power = 0;        ///< per death: what was not synced is lost too
  double disk = 0;         ///< per write or sync of the database: it fails, and with it the driver
  double interrupt = 0;    ///< per driver: it is interrupted by a signal
  double stop = 0;         ///< per driver: a person stops the study
  double revoke = 0;       ///< per driver: another one takes the study over
  double remarks = 0;      ///< per driver: people ask for its state and write notes
  int workers = 1;
  int joined = 0;  ///< of these so many joined by themselves and outlive the driver
};

/// How trials behave: part of the question, not of what goes wrong.
struct Nature {
  double nan = 0;        ///< share of trials that diverge
  double exception = 0;  ///< share of trials that always raise
  double early = 0;      ///< share of trials that end early by themselves
  bool coarse = false;   ///< values in steps of 0.1, so that there are ties
};

/// A person's command, at a moment of one driver's life.
struct Request {
  int life = 1;      ///< of the drivers, from 1
  double after = 0;  ///< seconds since it began
  std::string text;  ///< JSON; "interrupt": a signal; "lose files": all artifacts are deleted
};

/// What people change in the middle, which changes results.
struct Steering {
  double commands = 0;  ///< per driver: trials are cancelled and retried, values enqueued
  std::string amended;  ///< the study's YAML from the second driver on; empty: as before
  std::vector<Request> requests = {};
  bool is_any() const { return commands > 0 || !amended.empty() || !requests.empty(); }
};

struct Scenario {
  std::uint64_t seed = 0;
  std::string study;             ///< YAML
  std::string earlier = {};      ///< YAML of a study that the store has already; empty: none
  bool has_gangs = false;        ///< trials are trainings, by 1 to n ranks
  std::string metric = "value";  ///< that trials report
  Nature nature;
  Weather weather;
  Steering steering;  ///< none in most scenarios: then the result is that of the undisturbed study
  /// Folder for artifacts. With one, workers say all that workers can say: what they compute with, steps and ranks,
  /// measurements of tests, checkpoints. Empty: as little as they can.
  std::filesystem::path artifacts = {};
};

Scenario scenario(std::uint64_t seed);
/// The same study on one steady worker of one driver to whom nothing happens.
Scenario undisturbed(Scenario scenario);
/// One line for people.
std::string describe(const Scenario& scenario);

}  // namespace dlrun::driver_sim
