// SPDX-License-Identifier: Apache-2.0
// A stored trial measured or asked for predictions, by a worker program of its own.
#pragma once
#include <filesystem>
#include <string>

#include "spec/study_spec.hpp"
#include "trial/use.hpp"

namespace dlrun::driver {

/// A checkpoint of a trial.
struct Checkpoint {
  Json config;  ///< the study's trial section with the trial's values set
  trial::Member member;
  std::string sha256;
};

/// Measures a checkpoint, or predicts by it, on a split or on new data, in a worker program of its own.
/// @param rows  a descriptor to write predictions to; -1: metrics are wanted
/// @param worker_binary  empty: dlrun-worker beside this program
/// @throws Error(usage) for a study that trains nothing; Error of the kind the worker ended with, whose words are on
/// standard error already.
trial::Use use(const spec::StudySpec& spec, const std::filesystem::path& artifacts, const Checkpoint& checkpoint,
               const trial::UseOptions& options, int rows = -1, const std::filesystem::path& worker_binary = {});

}  // namespace dlrun::driver
