// SPDX-License-Identifier: Apache-2.0
// Small studies and a worker that answers at once.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "study/study.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace dlrun::test {

using namespace dlrun::study;  // NOLINT: a test's words
using trial::Cause;
using trial::Outcome;
using trial::PieceKey;
using trial::PieceResult;
using trial::TrialId;
using trial::TrialState;

inline space::Space line() { return space::Space({{.name = "x", .low = 0, .high = 1}}); }

inline Rules rules(int lanes, std::int64_t trials) {
  Rules r;
  r.lanes = lanes;
  r.slack = 500;
  r.objective.metric = "loss";
  r.limits.trials = trials;
  return r;
}

inline pruners::PrunerOptions asha(std::int64_t most) {
  return {pruners::Asha{.ladder = {.eta = 3, .min_budget = 1, .max_budget = most}}};
}

inline Study make(const Rules& r, const pruners::PrunerOptions& pruner = {}, const space::Space& space = line(),
                  const std::string& sampler = "random") {
  return Study(r, space, samplers::make_sampler(sampler, space, r.seed), pruners::make_pruner(pruner));
}

/// The result of a piece: loss falls from epoch to epoch towards the trial's own x.
inline PieceResult result_of(const Study& study, const StartPiece& start) {
  PieceResult r;
  r.key = start.key;
  r.attempt = start.attempt;
  const double x = std::get<double>(study.trial(start.key.member.trial).values[0]);
  for (std::int64_t e = start.from_step + 1; e <= start.to_step; ++e) {
    r.reports.push_back({e, {{"loss", x + 1.0 / double(e)}}});
  }
  r.artifacts.push_back({"last", std::string(64, 'a'), 1, start.to_step});
  return r;
}

inline PieceResult failure_of(const StartPiece& start, Cause cause) {
  PieceResult r;
  r.key = start.key;
  r.attempt = start.attempt;
  r.outcome = Outcome::failed;
  r.cause = cause;
  r.message = "it broke";
  return r;
}

template <class T>
std::vector<T> all(const Output& out) {
  std::vector<T> found;
  for (const Effect& e : out.effects) {
    if (const auto* t = std::get_if<T>(&e)) found.push_back(*t);
  }
  return found;
}

inline std::string text(const Decision& d) {
  static const char* kinds[] = {"start", "go_on", "idle", "prune", "finish", "amend"};
  std::string s = std::to_string(d.number) + " " + kinds[int(d.kind)] + " lane " + std::to_string(d.lane) + " at " +
                  std::to_string(d.at) + " to " + std::to_string(d.end);
  if (d.key.member.trial.exists()) {
    s += " trial " + std::to_string(d.key.member.trial.value) + "." + std::to_string(d.key.piece);
  }
  for (const auto& v : d.values) {
    if (const auto* x = std::get_if<double>(&v)) s += " " + to_text(Json(*x));
  }
  return d.reason.empty() ? s : s + " (" + d.reason + ")";
}

/// Runs pieces first come, first served, until nothing is left; keeps what a store would.
struct Player {
  Study& study;
  std::vector<std::variant<Event, Decision>> log;
  std::vector<std::string> decisions;
  std::map<TrialId, TrialChanged> rows;
  std::deque<StartPiece> queue;
  std::vector<Effect> effects;

  explicit Player(Study& s) : study(s) {}

  void record(const Output& out) {
    for (const Event& e : out.events) log.emplace_back(e);
    for (const Decision& d : out.decisions) {
      log.emplace_back(d);
      decisions.push_back(text(d));
    }
    for (const Effect& e : out.effects) {
      effects.push_back(e);
      if (const auto* start = std::get_if<StartPiece>(&e)) queue.push_back(*start);
      if (const auto* row = std::get_if<TrialChanged>(&e)) rows[row->trial] = *row;
    }
  }
  Output absorb(const Event& e) {
    log.emplace_back(e);
    Output out = study.absorb(e);
    record(out);
    return out;
  }
  void decide() { record(study.decide()); }
  StartPiece pop() {
    REQUIRE_FALSE(queue.empty());
    const StartPiece start = queue.front();
    queue.pop_front();
    return start;
  }
  bool finish_one() {
    if (queue.empty()) return false;
    const StartPiece start = pop();
    if (study.is_current(start.key, start.attempt)) absorb(PieceEnded{result_of(study, start)});
    decide();
    return true;
  }
  void run() {
    decide();
    while (finish_one()) {
    }
  }
};

}  // namespace dlrun::test
