// SPDX-License-Identifier: Apache-2.0
#include "driver/keeping.hpp"

namespace dlrun::driver {

storage::KeepPolicy keep_policy(const spec::StudySpec& spec, const study::Study& study) {
  storage::KeepPolicy keep{spec.keep.best, spec.keep.last, spec.keep.rungs, spec.keep.all};
  if (spec.rules.further.empty()) return keep;
  for (const trial::TrialId id : study.front()) keep.also.push_back(id.value);
  return keep;
}

}  // namespace dlrun::driver
