// SPDX-License-Identifier: Apache-2.0
#include "worker/waiting_programs.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "util/memory.hpp"

namespace dlrun::worker {

void WaitingPrograms::add(const trial::Member& member, Waiting program) {
  programs_.insert_or_assign(member, std::move(program));
  while (is_beyond_limits()) end(worst());
  std::erase_if(ending_, [](const auto& keeper) { return keeper->has_ended(); });
}

std::unique_ptr<programs::Keeper> WaitingPrograms::take(const trial::Member& member, std::int64_t step) {
  const auto found = programs_.find(member);
  if (found == programs_.end()) return nullptr;
  if (found->second.step != step) {
    end(found);
    return nullptr;
  }
  auto keeper = std::move(found->second.keeper);
  programs_.erase(found);
  return keeper;
}

void WaitingPrograms::end_trial(trial::TrialId trial) {
  for (auto it = programs_.begin(); it != programs_.end();) it = it->first.trial == trial ? end(it) : std::next(it);
}

bool WaitingPrograms::is_beyond_limits() const {
  if (programs_.empty()) return false;
  if (limits_.programs && programs_.size() > *limits_.programs) return true;
  std::int64_t held = 0;
  for (const auto& [member, program] : programs_) held += program.bytes;
  return held > limits_.bytes.value_or((available_memory() + held) / 2);
}

/// REQUIRES: some program waits.
WaitingPrograms::Programs::iterator WaitingPrograms::worst() {
  return std::min_element(programs_.begin(), programs_.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.second.step, -a.second.cost) < std::tuple(b.second.step, -b.second.cost);
  });
}

WaitingPrograms::Programs::iterator WaitingPrograms::end(Programs::iterator program) {
  program->second.keeper->end(grace_);
  ending_.push_back(std::move(program->second.keeper));
  return programs_.erase(program);
}

}  // namespace dlrun::worker
