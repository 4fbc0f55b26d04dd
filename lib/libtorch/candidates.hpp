// SPDX-License-Identifier: Apache-2.0
// The places where a libtorch may lie, in the order in which they are taken.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::libtorch {

/// Folders from which the search for libtorch starts. Empty members name no place.
struct Surroundings {
  std::filesystem::path program_folder;  ///< folder of dlrun or dlrun-worker
  std::filesystem::path chosen;          ///< DLRUN_TORCH
  std::filesystem::path venv;            ///< VIRTUAL_ENV
  std::filesystem::path conda;           ///< CONDA_PREFIX
  std::filesystem::path cache;           ///< dlrun's folder in the cache: third_party/install unpacks there
};

/// Surroundings of this process. Reads the environment and /proc/self/exe.
Surroundings surroundings();

/// One place, and the verdict on it.
struct Candidate {
  std::string origin;            ///< "DLRUN_TORCH", "beside dlrun", "VIRTUAL_ENV", "CONDA_PREFIX", "cache"
  std::filesystem::path folder;  ///< torch package, with lib/ in it; empty if the origin names no place
  std::string version;           ///< "2.11.0"; empty if there is none or it is unknown
  std::string fault;             ///< why it cannot be taken; empty if it fits
  bool fits() const { return fault.empty(); }
};

/// Every place, the first that fits is to be taken. Each origin has one entry or more, also if it names no place.
/// Opens no library. Errors: none; an unreadable file is a candidate's fault.
std::vector<Candidate> candidates(const Surroundings& around);

/// One line: each candidate that names a place, with its fault.
std::string describe(const std::vector<Candidate>& candidates);

}  // namespace dlrun::libtorch
