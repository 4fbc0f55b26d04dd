// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "output/live_view.hpp"
#include "output/screen.hpp"
#include "text_width.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

constexpr double kQuietSeconds = 10;   // elsewhere than on a terminal: a sign of life at least this often
constexpr double kClosestSeconds = 1;  // seconds between lines at least

/// Number of trials in a final state, whichever.
std::int64_t ended(const driver::Progress& p) { return p.trials_done; }

/// A few lines at the bottom, redrawn; other lines are printed above them. They take half of the terminal at most.
class TerminalProgress final : public ProgressDisplay {
 public:
  explicit TerminalProgress(Expected expected) : expected_(std::move(expected)) {}
  void progress(const driver::Progress& progress) override {
    const Room whole = screen_.room();
    const std::size_t half = std::max(whole.lines / 2, std::min(whole.lines, kLeastLines));
    screen_.draw(live_lines(progress, expected_, {whole.columns, std::max<std::size_t>(half, 1)}));
  }
  void line(const std::string& text) override { screen_.print(visible(text) + "\n"); }
  void finish() override { screen_.clear(); }

 private:
  static constexpr std::size_t kLeastLines = 6;
  Expected expected_;
  Screen screen_{STDERR_FILENO};
};

/// A line when something has changed, at most one a second, at least one every ten.
class PlainProgress final : public ProgressDisplay {
 public:
  explicit PlainProgress(double epochs) : epochs_(epochs) {}
  void progress(const driver::Progress& progress) override {
    const bool changed = ended(progress) != ended_;
    const double since = progress.seconds - at_;
    if (!(changed && since >= kClosestSeconds) && since < kQuietSeconds) return;
    at_ = progress.seconds;
    ended_ = ended(progress);
    write_error(progress_text(progress, epochs_) + "\n");
  }
  void line(const std::string& text) override { write_error(visible(text) + "\n"); }
  void finish() override {}

 private:
  double epochs_;
  double at_ = 0;
  std::int64_t ended_ = 0;
};

class NoProgress final : public ProgressDisplay {
 public:
  void progress(const driver::Progress&) override {}
  void line(const std::string&) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<ProgressDisplay> make_progress(const Console& console, const Expected& expected) {
  if (console.is_quiet()) return std::make_unique<NoProgress>();
  if (can_redraw(STDERR_FILENO)) return std::make_unique<TerminalProgress>(expected);
  return std::make_unique<PlainProgress>(expected.epochs);
}

std::string progress_text(const driver::Progress& p, double epochs) {
  std::string text =
      p.trials_limit ? fmt::format("{}/{} trials", ended(p), *p.trials_limit) : fmt::format("{} trials", ended(p));
  if (p.running > 0) text += fmt::format(", {} running", p.running);
  if (p.trials_paused > 0) text += fmt::format(", {} paused", p.trials_paused);
  if (p.trials_pruned > 0) text += fmt::format(", {} pruned", p.trials_pruned);
  if (p.trials_failed > 0) text += fmt::format(", {} failed", p.trials_failed);
  if (p.best) text += fmt::format(", best {} (trial {})", short_number(*p.best), p.best_trial);
  text += ", " + duration_text(p.seconds);
  if (const auto left = seconds_left(p, epochs)) text += fmt::format(", about {} left", duration_text(*left));
  return text;
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "0 s";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::int64_t(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace dlrun::cli
