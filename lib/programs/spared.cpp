// SPDX-License-Identifier: Apache-2.0
#include "programs/spared.hpp"

#include <set>

#include "programs/descendants.hpp"

namespace dlrun::programs {

namespace {

std::multiset<pid_t> spared;

}  // namespace

Spared::Spared(pid_t pid) : pid_(pid) { spared.insert(pid); }

Spared::~Spared() { spared.erase(spared.find(pid_)); }

void end_all_but_spared() { end_descendants({spared.begin(), spared.end()}); }

}  // namespace dlrun::programs
