// SPDX-License-Identifier: Apache-2.0
#include "spec/lanes.hpp"

#include <algorithm>

namespace dlrun::spec {

bool has_auto_lanes(const Json& study) { return study.at("search").at("lanes") == "auto"; }

int lanes_for(int workers, const StudySpec& study) {
  constexpr std::int64_t kMost = kMostLanes;
  const std::int64_t trials = study.rules.limits.trials.value_or(kMost);
  const std::int64_t members =
      std::clamp<std::int64_t>(std::min(trials, kMost) * study.rules.members.count(), 1, kMost);
  return int(trials == 1 ? members : std::clamp<std::int64_t>(workers, 1, members));
}

StudySpec with_lanes(const StudySpec& study, int lanes) {
  Json json = study.json;
  json["search"]["lanes"] = lanes;
  return from_json(json, study.text);
}

}  // namespace dlrun::spec
