// SPDX-License-Identifier: Apache-2.0
#include "trial/trial.hpp"

#include <array>

#include "util/error.hpp"

namespace dlrun::trial {

namespace {

constexpr std::array<std::string_view, 7> kTrialStates{"waiting", "running", "paused",   "completed",
                                                       "pruned",  "failed",  "cancelled"};
constexpr std::array<std::string_view, 5> kAttemptStates{"running", "completed", "failed", "lost", "cancelled"};
constexpr std::array<std::string_view, kCauses> kCauseNames{
    "none",      "worker_lost", "signal",    "exception", "oom",     "nan",     "timeout",
    "cancelled", "driver_lost", "preempted", "overtaken", "machine", "crowded", "artifact"};
constexpr std::array<std::string_view, 3> kOutcomes{"completed", "early", "failed"};

template <class Enum, std::size_t N>
Enum find(const std::array<std::string_view, N>& names, std::string_view name, const char* what) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  throw Error(ErrorKind::store, "'" + std::string(name) + "' is no " + what);
}

}  // namespace

std::string_view to_string(TrialState state) { return kTrialStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(AttemptState state) { return kAttemptStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(Cause cause) { return kCauseNames[static_cast<std::size_t>(cause)]; }
std::string_view to_string(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

bool is_free(Cause cause) {
  switch (cause) {
    case Cause::driver_lost:
    case Cause::preempted:
    case Cause::machine:
    case Cause::crowded:
    case Cause::artifact: return true;
    default: return false;
  }
}

std::string describe(const Member& member) {
  std::string trial = "trial " + std::to_string(member.trial.value);
  if (member.replicate == 0 && member.fold == 0) return trial;
  return trial + ", replicate " + std::to_string(member.replicate) + ", fold " + std::to_string(member.fold);
}

TrialState trial_state(std::string_view name) { return find<TrialState>(kTrialStates, name, "state of a trial"); }
AttemptState attempt_state(std::string_view name) {
  return find<AttemptState>(kAttemptStates, name, "state of an attempt");
}
Cause cause(std::string_view name) { return find<Cause>(kCauseNames, name, "cause"); }
Outcome outcome(std::string_view name) { return find<Outcome>(kOutcomes, name, "outcome"); }

}  // namespace dlrun::trial
