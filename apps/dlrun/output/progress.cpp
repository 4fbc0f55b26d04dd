// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "text_width.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kBar = 20;       // columns of the bar
constexpr double kQuietSeconds = 10;   // elsewhere than on a terminal: a sign of life at least this often
constexpr double kClosestSeconds = 1;  // seconds between lines at least
constexpr double kBeforeEstimate = 2;  // seconds; a rate from less says nothing

/// Number of trials in a final state, whichever.
std::int64_t ended(const driver::Progress& p) { return p.trials_done; }

/// Seconds to the end at the rate of this run; nullopt: nothing to go by.
std::optional<double> seconds_left(const driver::Progress& p, double epochs) {
  const double done = double(p.epochs - p.epochs_before);
  const double open = epochs - double(p.epochs);
  if (done <= 0 || open < 1 || p.seconds < kBeforeEstimate) return std::nullopt;
  return p.seconds / done * open;
}

std::string bar(const driver::Progress& p, double epochs) {
  if (epochs <= 0) return {};
  const double share = std::clamp(double(p.epochs) / epochs, 0.0, 1.0);
  const auto full = std::size_t(share * kBar);
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "] ";
}

/// One line at the bottom, redrawn; other lines are printed above it.
class TerminalProgress final : public ProgressDisplay {
 public:
  explicit TerminalProgress(double epochs) : epochs_(epochs) {}
  void progress(const driver::Progress& progress) override {
    shown_ = bar(progress, epochs_) + progress_text(progress, epochs_);
    draw();
  }
  void line(const std::string& text) override {
    write_error("\r\x1b[K" + visible(text) + "\n");
    draw();
  }
  void finish() override {
    write_error("\r\x1b[K");
    shown_.clear();
  }

 private:
  void draw() const {
    if (shown_.empty()) return;
    write_error("\r\x1b[K" + cut(shown_, std::max<std::size_t>(terminal_width(STDERR_FILENO), 20) - 1));
  }
  double epochs_;
  std::string shown_;
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

std::unique_ptr<ProgressDisplay> make_progress(const Console& console, double epochs) {
  if (console.is_quiet()) return std::make_unique<NoProgress>();
  const char* term = std::getenv("TERM");
  const bool can_redraw = is_terminal(STDERR_FILENO) && term && std::string_view(term) != "dumb";
  if (can_redraw) return std::make_unique<TerminalProgress>(epochs);
  return std::make_unique<PlainProgress>(epochs);
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
