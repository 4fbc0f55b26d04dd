// SPDX-License-Identifier: Apache-2.0
// How a running study is shown: a few lines that are redrawn on a terminal, plain lines elsewhere, nothing under
// --quiet.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "driver/driver.hpp"
#include "output/console.hpp"
#include "output/live_view.hpp"

namespace dlrun::cli {

/// A Display that can be taken down before anything else is printed.
class ProgressDisplay : public driver::Display {
 public:
  virtual void finish() = 0;
};

/// Display of progress by the kind of standard error.
std::unique_ptr<ProgressDisplay> make_progress(const Console& console, const Expected& expected);

/// "12/32 trials, 3 running, 2 paused, 1 failed, best 0.9712 (trial 7), 14 s, about 20 s left". What is left is
/// judged by epochs, at the rate of this run; nothing is said before there is a rate.
std::string progress_text(const driver::Progress& progress, double epochs);

/// "14 s", "2 min 5 s", "1 h 20 min", "3 d 4 h"; below a second "0.3 s".
std::string duration_text(double seconds);

}  // namespace dlrun::cli
