// SPDX-License-Identifier: Apache-2.0
// A running study as a few lines of text: how far, the best so far, the trials that run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.hpp"

namespace dlrun::cli {

/// Facts of a study that a display needs beside its progress.
struct Expected {
  double epochs = 0;            ///< epochs of the whole study; 0: unknown
  bool is_estimate = false;     ///< a pruner decides how many there will be
  std::int64_t per_member = 0;  ///< whole length of a trial's member, epochs
  std::string metric;           ///< the objective
};

/// Room for the lines. The last column stays empty, because some terminals begin a new line there.
struct Room {
  std::size_t columns = 0;  ///< 0: endless
  std::size_t lines = 0;    ///< 0: endless
};

/// Lines of a view, none wider than the room, no more than it has. Running trials that have no place are counted
/// ("+5 more"): the newest are shown. What is left of the time is judged by epochs, at the rate of this run.
std::vector<std::string> live_lines(const driver::Progress& progress, const Expected& expected, const Room& room);

/// Seconds to the end at the rate of this run; nullopt: nothing to judge by.
std::optional<double> seconds_left(const driver::Progress& progress, double epochs);

/// "lr=0.01 opt=adam", numbers short.
std::string params_text(const Json& params);

}  // namespace dlrun::cli
