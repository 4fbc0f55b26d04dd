// SPDX-License-Identifier: Apache-2.0
// Whether `resume` can continue a donor's training. Refusals of every run are told before any begins.
#pragma once
#include <filesystem>

#include "util/json.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::final {

/// A final training that is to continue the donor's.
struct Resumption {
  const warmstart::Donor& donor;
  Json trial;               ///< section `trial` of the final training
  std::int64_t epochs = 0;  ///< length of the final training
  bool takes_all = false;   ///< `allow_superset`: other settings than the donor's are wanted
};

/// @throws Error(usage) E406 where settings differ that decide bits, where the donor began with weights of its own, and
/// where its patience has ended it
void require_resumable(const std::filesystem::path& store, const Resumption& wanted);

/// Whether `stop` of the donor's trial ended it at the donor's checkpoint, so that nothing of it remains.
bool has_run_out(const std::filesystem::path& store, const warmstart::Donor& donor);

}  // namespace dlrun::final
