// SPDX-License-Identifier: Apache-2.0
#include "output/live_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "output/progress.hpp"
#include "output/sparkline.hpp"
#include "output/text_width.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kMostBar = 30, kLeastBar = 10;     // columns
constexpr std::size_t kMostCurve = 30, kLeastCurve = 8;  // columns
constexpr std::size_t kLeastParams = 8;                  // columns; fewer say nothing
constexpr double kBeforeEstimate = 2;                    // seconds; a rate from less says nothing
constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max() / 2;
using Lines = std::vector<std::string>;

std::string bar(double share, std::size_t width) {
  const auto full = std::size_t(share * double(width));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::string epochs_text(const driver::Progress& p, const Expected& expected) {
  if (expected.epochs <= 0) return fmt::format("{} epochs", p.epochs);
  return fmt::format("{}/{}{:.0f} epochs", p.epochs, expected.is_estimate ? "~" : "", expected.epochs);
}

/// Part of the work that is done. An estimate may be passed, but a study that has trials under way is not over.
double share_of(const driver::Progress& p, double epochs) {
  const bool is_open = p.running + p.trials_paused > 0;
  return std::clamp(double(p.epochs) / epochs, 0.0, is_open ? 0.99 : 1.0);
}

/// Bar, share, epochs, elapsed, left. Where there is no room for all, epochs go first, then the bar.
std::string time_line(const driver::Progress& p, const Expected& expected, std::size_t width) {
  std::string time = duration_text(p.seconds);
  if (const auto left = seconds_left(p, expected.epochs)) time += fmt::format(", about {} left", duration_text(*left));
  const std::string epochs = epochs_text(p, expected) + ", ";
  if (expected.epochs <= 0) return display_width(epochs + time) <= width ? epochs + time : time;
  const double share = share_of(p, expected.epochs);
  const std::string percent = fmt::format("{:>3.0f} %  ", std::floor(100 * share + 1e-9));
  constexpr std::size_t kAround = 3;  // brackets and a space
  const std::size_t usual = std::clamp(width / 5, kLeastBar, kMostBar);
  for (const std::string& text : {fmt::format("{}{}{}", percent, epochs, time), percent + time}) {
    const std::size_t used = display_width(text) + kAround;
    if (used + kLeastBar <= width) return bar(share, std::min(usual, width - used)) + " " + text;
  }
  return display_width(percent + time) <= width ? percent + time : time;
}

/// Parts one after the other, on as many lines as they need.
Lines flowed(const std::vector<std::string>& parts, std::size_t width) {
  Lines lines;
  for (const std::string& part : parts) {
    const std::size_t used = lines.empty() ? 0 : display_width(lines.back()) + 2;
    if (lines.empty() || used + display_width(part) + 1 > width) {
      if (!lines.empty()) lines.back() += ",";
      lines.push_back(part);
    } else {
      lines.back() += ", " + part;
    }
  }
  return lines;
}

std::vector<std::string> facts(const driver::Progress& p, const Expected& expected) {
  std::vector<std::string> parts;
  if (p.best)
    parts.push_back(
        fmt::format("best {} {} (trial {})", visible(expected.metric), short_number(*p.best), p.best_trial));
  parts.push_back(p.trials_limit ? fmt::format("{}/{} trials", p.trials_done, *p.trials_limit)
                                 : fmt::format("{} trials", p.trials_done));
  const auto count = [&](std::int64_t number, const char* what) {
    if (number > 0) parts.push_back(fmt::format("{} {}", number, what));
  };
  count(p.trials_completed, "completed");
  count(p.trials_pruned, "pruned");
  count(p.trials_failed, "failed");
  count(p.trials_cancelled, "cancelled");
  count(p.trials_paused, "paused");
  if (p.workers > 0)
    parts.push_back(fmt::format("{} of {} worker{} busy", p.running, p.workers, p.workers == 1 ? "" : "s"));
  return parts;
}

/// A running piece, its columns as text.
struct Row {
  std::string name, epochs, value, curve, params;
};

std::string name_of(const trial::Member& member) {
  std::string name = fmt::format("trial {}", member.trial.value);
  if (member.replicate > 0 || member.fold > 0) name += fmt::format(".{}.{}", member.replicate, member.fold);
  return name;
}

Row row_of(const driver::RunningPiece& piece, const Expected& expected, std::size_t curve_width) {
  return {.name = name_of(piece.member),
          .epochs = expected.per_member > 0 ? fmt::format("{}/{}", piece.epochs, expected.per_member)
                                            : fmt::format("{}", piece.epochs),
          .value = piece.curve.empty() ? "-" : short_number(piece.curve.back()),
          .curve = sparkline(piece.curve, curve_width),
          .params = visible(params_text(piece.params))};
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right = false) {
  const std::size_t used = display_width(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return to_the_right ? blanks + text : text + blanks;
}

std::size_t widest(const std::vector<Row>& rows, std::string Row::*column) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, display_width(row.*column));
  return width;
}

/// Rows with their columns aligned; parameters where there is room for them.
Lines aligned(const std::vector<Row>& rows, std::size_t width) {
  const std::size_t name = widest(rows, &Row::name), epochs = widest(rows, &Row::epochs);
  const std::size_t value = widest(rows, &Row::value), curve = widest(rows, &Row::curve);
  const std::size_t before = name + epochs + value + curve + 4 * 2;
  Lines lines;
  for (const Row& row : rows) {
    std::string line = padded(row.name, name) + "  " + padded(row.epochs, epochs, true) + "  " +
                       padded(row.value, value, true) + "  " + row.curve;
    if (before + kLeastParams <= width && !row.params.empty())
      line += std::string(curve - display_width(row.curve) + 2, ' ') + cut(row.params, width - before);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(cut(line, width));
  }
  return lines;
}

/// The newest pieces that have room, and how many there are beside them.
Lines running(const driver::Progress& p, const Expected& expected, std::size_t width, std::size_t room) {
  const auto all = std::size_t(std::max<std::int64_t>(p.running, std::int64_t(p.pieces.size())));
  std::size_t shown = std::min(p.pieces.size(), room);
  if (shown < all && shown == room && shown > 0) --shown;  // the last line counts the others
  std::vector<Row> rows;
  for (std::size_t i = p.pieces.size() - shown; i < p.pieces.size(); ++i)
    rows.push_back(row_of(p.pieces[i], expected, std::clamp(width / 4, kLeastCurve, kMostCurve)));
  Lines lines = aligned(rows, width);
  if (shown < all && room > 0 && !p.pieces.empty()) lines.push_back(cut(fmt::format("+{} more", all - shown), width));
  return lines;
}

}  // namespace

std::optional<double> seconds_left(const driver::Progress& p, double epochs) {
  const double done = double(p.epochs - p.epochs_before);
  const double open = epochs - double(p.epochs);
  if (done <= 0 || open < 1 || p.seconds < kBeforeEstimate) return std::nullopt;
  return p.seconds / done * open;
}

std::string params_text(const Json& params) {
  std::string text;
  for (const auto& [name, value] : params.items()) {
    const std::string shown = value.is_number_float() ? short_number(value.get<double>())
                              : value.is_string()     ? value.get<std::string>()
                                                      : to_text(value);
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, shown);
  }
  return text;
}

Lines live_lines(const driver::Progress& progress, const Expected& expected, const Room& room) {
  const std::size_t width = room.columns == 0 ? kEndless : room.columns - 1;
  const std::size_t height = room.lines == 0 ? kEndless : room.lines;
  Lines lines{cut(time_line(progress, expected, width), width)};
  for (const std::string& line : flowed(facts(progress, expected), width)) lines.push_back(cut(line, width));
  if (lines.size() > height) lines.resize(height);
  for (std::string& line : running(progress, expected, width, height - lines.size())) lines.push_back(std::move(line));
  return lines;
}

}  // namespace dlrun::cli
