// SPDX-License-Identifier: Apache-2.0
// Ending of a worker: its cause, for people and for the retry rules.
#pragma once
#include <string>

#include "trial/trial.hpp"

namespace dlrun::executor {

struct Ending {
  trial::Cause cause = trial::Cause::worker_lost;
  std::string message;
};

}  // namespace dlrun::executor
