// SPDX-License-Identifier: Apache-2.0
// How the processes of a gang on several hosts find each other: all come to the first one's door and say where their
// own doors are; it tells each where the others are, and of two that have no connection yet the later one calls.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gang/door.hpp"
#include "gang/meeting.hpp"

namespace dlrun::gang {

/// Some process of another host did not come.
struct NotGathered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Gathered {
  std::vector<Link> links;         ///< by process; closed for processes of the same host
  std::vector<std::string> names;  ///< names of their hosts, by process
};

/// For the first process. @param door  its own    @param watch  called now and then, with those missing; may throw
/// @throws NotGathered in the end
Gathered call_roll(Door& door, const Meeting& meeting, const std::function<void(int missing)>& watch);

/// For another process. @throws Error(outside) where it does not find the others in time, Error(usage) for the key
std::vector<Link> answer_roll(const Meeting& meeting, int process);

/// A door for the first process. @throws Error(usage) for the key
Door open_door(const Meeting& meeting);

}  // namespace dlrun::gang
