// SPDX-License-Identifier: Apache-2.0
#include "driver/kept_programs.hpp"

#include <utility>

namespace dlrun::driver {

void KeptPrograms::keep(std::int64_t worker, const trial::Member& member, const std::string& socket) {
  programs_[member] = {owners_.try_emplace(socket, worker).first->second, socket};
}

std::int64_t KeptPrograms::take_owner(std::int64_t worker, const std::string& socket) {
  const auto known = owners_.extract(socket);
  return known.empty() ? worker : known.mapped();
}

std::vector<std::int64_t> KeptPrograms::take_all(trial::TrialId trial) {
  std::vector<std::int64_t> workers;
  std::erase_if(programs_, [&](const auto& item) {
    if (item.first.trial != trial) return false;
    workers.push_back(item.second.owner);
    owners_.erase(item.second.socket);
    return true;
  });
  return workers;
}

std::optional<KeptPrograms::Program> KeptPrograms::take_program(const trial::Member& member) {
  auto found = programs_.extract(member);
  return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
}

std::optional<std::int64_t> KeptPrograms::owner_of(const trial::Member& member) const {
  const auto found = programs_.find(member);
  return found == programs_.end() ? std::nullopt : std::optional(found->second.owner);
}

void KeptPrograms::forget(std::int64_t worker) {
  std::erase_if(programs_, [&](const auto& item) { return item.second.owner == worker; });
  std::erase_if(owners_, [&](const auto& item) { return item.second == worker; });
}

}  // namespace dlrun::driver
