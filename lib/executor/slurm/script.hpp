// SPDX-License-Identifier: Apache-2.0
// Batch script of a job. Pure.
#pragma once
#include <string>

#include "executor/slurm/options.hpp"

namespace dlrun::executor {

/// Several workers share a job's signals; a single one replaces the shell, so that signals reach it.
/// @throws Error(usage) if a path has a character that sbatch cannot take in a line (a quote, a line break)
std::string batch_script(const SlurmOptions& options);

/// Text as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace dlrun::executor
