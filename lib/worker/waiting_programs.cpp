// SPDX-License-Identifier: Apache-2.0
#include "worker/waiting_programs.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <tuple>
#include <utility>

#include "util/memory.hpp"

namespace dlrun::worker {

std::size_t most_by_descriptors() {
  constexpr std::size_t kOthers = 128;  ///< descriptors for everything else
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return limit.rlim_cur > kOthers ? (limit.rlim_cur - kOthers) / 2 : 0;
}

WaitingPrograms::~WaitingPrograms() {
  using Clock = std::chrono::steady_clock;
  while (!programs_.empty()) end(programs_.begin());
  for (const auto& keeper : ending_) keeper->end(grace_);  // also those that were to leave their trials only
  const auto until = Clock::now() + std::chrono::duration<double>(grace_);
  for (const auto& keeper : ending_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    keeper->wait_for_end(std::max(left, std::chrono::milliseconds(0)));
  }
}

void WaitingPrograms::add(const trial::Member& member, Waiting program) {
  hear_news();
  programs_.insert_or_assign(member, std::move(program));
  if (limits_.has_room && !limits_.has_room()) end(worst());
  while (is_beyond_limits()) end(worst());
  std::erase_if(ending_, [](const auto& keeper) { return keeper->has_ended(); });
}

std::unique_ptr<programs::Keeper> WaitingPrograms::take_program(const trial::Member& member, std::int64_t step) {
  hear_news();
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

std::set<std::string> WaitingPrograms::folders() {
  hear_news();
  std::set<std::string> folders;
  for (const auto& [member, program] : programs_) folders.insert(program.keeper->folder());
  return folders;
}

void WaitingPrograms::end_member(const trial::Member& member) {
  const auto program = programs_.find(member);
  if (program != programs_.end()) end(program);
}

void WaitingPrograms::end_trial(trial::TrialId trial) {
  hear_news();
  for (auto it = programs_.begin(); it != programs_.end();) it = it->first.trial == trial ? end(it) : std::next(it);
}

std::vector<std::unique_ptr<programs::Keeper>> WaitingPrograms::take_free(std::chrono::milliseconds patience) {
  hear_news();
  for (auto& keeper : ending_) {
    keeper->news();
    if (free_.empty()) keeper->wait_until_free(patience);
    if (keeper->is_free() && !keeper->has_ended()) free_.push_back(std::move(keeper));
  }
  std::erase(ending_, nullptr);
  return std::exchange(free_, {});
}

/// Takes note of what became of programs that were lent.
void WaitingPrograms::hear_news() {
  std::erase_if(programs_, [](const auto& item) { return item.second.keeper->has_ended(); });
  for (auto& [member, program] : programs_) {
    const auto news = program.keeper->news();
    if (!news) continue;
    program.is_lent = news->is_lent;
    program.step = news->step;
    program.cost = maximize_ ? -news->objective : news->objective;
    program.bytes = news->held;
  }
  for (auto& [member, program] : programs_) {
    if (program.step < 0 && program.keeper->is_free()) free_.push_back(std::move(program.keeper));
  }
  std::erase_if(programs_, [](const auto& item) { return item.second.step < 0; });
}

bool WaitingPrograms::give_way() {
  hear_news();
  const auto program = worst();
  if (program == programs_.end() || program->second.is_lent) return false;
  end(program);
  ending_.back()->end(grace_);
  ending_.back()->wait_for_end(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(grace_ + 1)));
  std::erase_if(ending_, [](const auto& keeper) { return keeper->has_ended(); });
  return true;
}

bool WaitingPrograms::is_beyond_limits() const {
  std::size_t waiting = 0;
  std::int64_t held = 0;
  for (const auto& [member, program] : programs_) {
    waiting += program.is_lent ? 0 : 1;
    held += program.bytes;
  }
  if (waiting == 0) return false;
  if (programs_.size() > most_by_descriptors()) return true;
  if (limits_.programs && waiting > *limits_.programs) return true;
  return held > limits_.bytes.value_or((available_memory() + held) / 2);
}

WaitingPrograms::Programs::iterator WaitingPrograms::worst() {
  const auto key = [](const Waiting& program) { return std::tuple(program.is_lent, program.step, -program.cost); };
  return std::min_element(programs_.begin(), programs_.end(),
                          [&](const auto& a, const auto& b) { return key(a.second) < key(b.second); });
}

WaitingPrograms::Programs::iterator WaitingPrograms::end(Programs::iterator program) {
  program->second.keeper->leave(grace_);
  ending_.push_back(std::move(program->second.keeper));
  return programs_.erase(program);
}

}  // namespace dlrun::worker
