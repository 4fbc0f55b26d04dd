// SPDX-License-Identifier: Apache-2.0
#include "executor/core_slots.hpp"

#include <sched.h>

namespace dlrun::executor {

namespace {

std::set<int> allowed_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::set<int> cores;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.insert(core);
  }
  return cores;
}

}  // namespace

CoreSlots::CoreSlots(int each) : CoreSlots(each, allowed_cores()) {}

std::vector<int> CoreSlots::acquire(std::int64_t worker) {
  std::vector<int>& mine = taken_[worker];
  for (int i = 0; i < each_ && !free_.empty(); ++i) {
    mine.push_back(*free_.begin());
    free_.erase(free_.begin());
  }
  return mine;
}

void CoreSlots::give_back(std::int64_t worker) {
  const auto found = taken_.find(worker);
  if (found == taken_.end()) return;
  free_.insert(found->second.begin(), found->second.end());
  taken_.erase(found);
}

}  // namespace dlrun::executor
