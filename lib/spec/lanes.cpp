// SPDX-License-Identifier: Apache-2.0
#include "spec/lanes.hpp"

#include <algorithm>

namespace dlrun::spec {

bool has_auto_lanes(const Json& study) { return study.at("search").at("lanes") == "auto"; }

int lanes_for(int workers, const StudySpec& study) {
  constexpr std::int64_t kMost = 4096;  // as many as `search.lanes` may be
  const std::int64_t trials = study.rules.limits.trials.value_or(kMost);
  const std::int64_t members = std::min(trials, kMost) * study.rules.members.count();
  return int(std::clamp<std::int64_t>(workers, 1, std::clamp<std::int64_t>(members, 1, kMost)));
}

Json with_lanes(Json study, int lanes) {
  study["search"]["lanes"] = lanes;
  return study;
}

}  // namespace dlrun::spec
