// SPDX-License-Identifier: Apache-2.0
// Gloo's collective between processes of one host, as libtorch has it (c10d::ProcessGroupGloo).
#pragma once
#include <filesystem>
#include <memory>

#include "gang/collective.hpp"

namespace dlrun::train {

/// Connects all ranks over the loopback; each of them calls it.
/// @param folder  of ours alone, the same for all ranks, empty before the first one calls
/// @throws Error(outside) if they do not find each other within a minute; Error(usage) where the build has no Gloo
std::unique_ptr<gang::Collective> open_gloo(const std::filesystem::path& folder, int rank, int ranks);

}  // namespace dlrun::train
