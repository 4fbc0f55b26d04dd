// SPDX-License-Identifier: Apache-2.0
// Opens a libtorch in this process, so that the trainer library finds it.
#pragma once
#include <filesystem>
#include <vector>

#include "libtorch/candidates.hpp"

namespace dlrun::libtorch {

/// The trainer library that belongs to the programs of `folder`: beside them, or in ../lib/dlrun of an installation.
/// The path beside them if there is none.
std::filesystem::path trainer_file(const std::filesystem::path& folder);

/// Throws unless one of the candidates fits. Opens nothing.
/// @throws Error(usage) naming every place with its fault, and the command that installs the right version.
void require(const std::vector<Candidate>& candidates);

/// Opens the first candidate that fits and that the loader accepts. Calls after the first success do nothing.
///
/// The dynamic loader compares the names of libraries that are needed with those of open libraries. A library that
/// needs libtorch_cpu.so and is opened later gets this one, wherever it lies, and needs no path to it.
/// @throws Error(usage) as require, with the loader's reason for each that it does not accept.
void load(const std::vector<Candidate>& candidates);

}  // namespace dlrun::libtorch
