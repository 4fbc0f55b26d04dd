// SPDX-License-Identifier: Apache-2.0
// A start of a study by an agent: checked by the server, and once more by the process that runs it, because the file
// may have changed in between.
#pragma once
#include <string>
#include <vector>

#include "agent/guarded_study.hpp"
#include "output/console.hpp"

namespace dlrun::cli::agent {

struct StartOrder {
  Order study;
  int workers = 0;  ///< 0: one per core
  std::string caller;
};

/// Words of `dlrun` that carry the order out.
std::vector<std::string> words_of(const StartOrder& order, const Grant& grant);

/// The study, if an agent may start it. @throws as read_bounded(); Error(usage) for a study that runs, or that a person
/// started, and for more workers than most_workers()
Guarded read_startable(const StartOrder& order, const Grant& grant);

/// Most workers of a start: one for each core.
int most_workers();

/// Carries an order out, in the process that was started for it. @return the exit code
int run_order(const std::string& words, Console& console);

}  // namespace dlrun::cli::agent
