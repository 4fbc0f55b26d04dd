// SPDX-License-Identifier: Apache-2.0
// A question to a worker program that is started for it alone: libtorch stays out of this process. What it complains
// of goes to standard error.
#pragma once
#include <filesystem>
#include <string>

#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::driver {

/// The worker program. @param chosen  empty: dlrun-worker beside this program
/// @throws Error(no_worker) where there is none.
std::filesystem::path worker_program(const std::filesystem::path& chosen);

struct Answer {
  int status = 0;  ///< of wait()
  std::string text;
};

/// Runs `binary --profile` to its end.
/// @param rows  a descriptor for what is too large for an answer: the worker's descriptor kRows; -1: none
/// @throws Error(no_worker) where it cannot be started.
Answer ask(const Json& question, const std::filesystem::path& binary, int rows = -1);

/// The answer as JSON. @throws Error(no_worker) where it is none.
Json parsed(const Answer& answer);

/// "killed by signal 9 (Killed)". REQUIRES: it was.
std::string killed_by(int status);
/// @param done  what the trial could not be, "profiled"
[[noreturn]] void refuse_status(int status, const std::string& done);

/// @param purpose  a verb, "profile". @throws Error(usage) for a study that trains nothing.
void require_train(const spec::StudySpec& spec, const std::string& purpose);

}  // namespace dlrun::driver
