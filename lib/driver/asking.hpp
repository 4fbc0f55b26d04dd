// SPDX-License-Identifier: Apache-2.0
// Asks a worker program that is started for one question, so that libtorch stays out of this process. The worker's
// complaints go to standard error.
#pragma once
#include <filesystem>
#include <string>

#include "spec/study_spec.hpp"
#include "util/json.hpp"

namespace dlrun::driver {

/// Path of the worker program. @param chosen  empty: dlrun-worker beside this program
/// @throws Error(no_worker) if there is none.
std::filesystem::path worker_program(const std::filesystem::path& chosen);

struct Answer {
  int status = 0;  ///< status of the process, as wait() returns it
  std::string text;
};

/// Runs `binary --profile` to its end.
/// @param rows  a descriptor for what is too large for an answer: the worker's descriptor kRows; -1: none
/// @throws Error(no_worker) if the worker cannot be started.
Answer ask(const Json& question, const std::filesystem::path& binary, int rows = -1);

/// The answer as JSON. @throws Error(no_worker) if it is not JSON.
Json parsed(const Answer& answer);

/// Throws the error of a worker that ended with this status: its exit status says which kind.
/// @param done  name of the failed action as a participle, "profiled"
[[noreturn]] void refuse_status(int status, const std::string& done);

/// @param store  folder that may have the study
/// @throws Error(usage) for a study whose trials are carried out by whoever asks for them, or were by Optuna.
void require_own_work(const spec::StudySpec& spec, const std::filesystem::path& store);

/// @param purpose  a verb, "profile". @throws Error(usage) for a study that trains nothing.
void require_train(const spec::StudySpec& spec, const std::string& purpose);

}  // namespace dlrun::driver
