// SPDX-License-Identifier: Apache-2.0
// The spec of an amended study: what its file says now, with parameters and choices where the study has them.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::driver {

struct Settled {
  Json spec;                          ///< normal form
  std::vector<std::string> refusals;  ///< "objective.metric: a -> b; what was measured was judged by it"
};

/// Numbers of parameters and choices are their ids: they never change. New ones come after the old; a choice that was
/// taken away stays, and a constraint forbids it. Both are normal forms; `before` may be such a result itself, and then
/// an unchanged file settles to the same again.
Settled settled(const Json& before, const Json& now);

}  // namespace dlrun::driver
