// SPDX-License-Identifier: Apache-2.0
// Artifacts that a study keeps when it is over, and whether they are there.
#pragma once
#include <string>

#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// `keep:` of the spec, and the candidates of `winner:`.
storage::KeepPolicy keep_policy(const spec::StudySpec& spec);
/// The same; of several objectives the whole front counts as best.
storage::KeepPolicy keep_policy(const spec::StudySpec& spec, const study::Study& study);

/// Has the artifact a file of its size? Whoever reads it compares its content.
bool is_whole(const storage::Store& store, const trial::WorkSetup& setup, const std::string& sha256);

}  // namespace dlrun::driver
