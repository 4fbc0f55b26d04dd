// SPDX-License-Identifier: Apache-2.0
#include "driver/keeping.hpp"

#include <filesystem>
#include <system_error>

#include "trial/artifacts.hpp"

namespace dlrun::driver {

storage::KeepPolicy keep_policy(const spec::StudySpec& spec) {
  storage::KeepPolicy keep{spec.keep.best, spec.keep.last, spec.keep.rungs, spec.keep.all};
  if (spec.winner && !spec.winner->of) keep.candidates = spec.winner->candidates;
  return keep;
}

storage::KeepPolicy keep_policy(const spec::StudySpec& spec, const study::Study& study) {
  storage::KeepPolicy keep = keep_policy(spec);
  if (spec.rules.further.empty()) return keep;
  for (const trial::TrialId id : study.front()) keep.also.push_back(id.value);
  return keep;
}

bool is_whole(const storage::Store& store, const trial::WorkSetup& setup, const std::string& sha256) {
  std::error_code fault;
  const std::uintmax_t found = std::filesystem::file_size(trial::artifact_file(setup, sha256), fault);
  const auto bytes = store.artifacts().bytes_of(sha256);
  return !fault && (!bytes || std::uintmax_t(*bytes) == found);
}

}  // namespace dlrun::driver
