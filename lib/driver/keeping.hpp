// SPDX-License-Identifier: Apache-2.0
// Which artifacts a study keeps when it is over.
#pragma once
#include "spec/study_spec.hpp"
#include "storage/retention.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// `keep:` of the spec; of several objectives the whole front counts as best.
storage::KeepPolicy keep_policy(const spec::StudySpec& spec, const study::Study& study);

}  // namespace dlrun::driver
