// SPDX-License-Identifier: Apache-2.0
// The epochs that several members train alike: left by one of them, taken up by the others.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "trial/trial.hpp"

namespace dlrun::train {

/// A folder holds `stage.json`, written last, and the checkpoints that it names by their SHA-256.
struct Stage {
  trial::Member member;    ///< the one that trained it
  std::int64_t epoch = 0;  ///< epochs done
  std::string numerics;    ///< class that it was computed in
  std::string prefix;      ///< Training::prefix of it
  std::string state;       ///< checkpoint after `epoch`
  std::string best;        ///< checkpoint of the best epoch so far; empty: there is none, or it is `state`
};

bool has_stage(const std::filesystem::path& folder);

/// Not synced: what a power cut takes of it is found out by its hashes. @throws Error(outside)
void leave_stage(const std::filesystem::path& folder, const Stage& stage);

/// @throws Error saying why there is none that can be taken up.
Stage take_stage(const std::filesystem::path& folder);

}  // namespace dlrun::train
