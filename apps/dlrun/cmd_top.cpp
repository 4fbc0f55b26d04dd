// SPDX-License-Identifier: Apache-2.0
// dlrun top [STUDY]: the live view of a running study, from another shell.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <utility>

#include "arguments.hpp"
#include "log_lines.hpp"
#include "output/live_view.hpp"
#include "output/screen.hpp"
#include "output/terminal.hpp"
#include "output/text_width.hpp"
#include "report/live.hpp"
#include "report/selectors.hpp"
#include "running.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr time_t kBetweenLooks = 1;     // seconds between two looks
constexpr std::size_t kOnceLines = 20;  // lines of logs on a page without an end
constexpr std::size_t kLeastLogLines = 4;
using Lines = std::vector<std::string>;

/// Signals that end it, and the one that says that the terminal has another size. While this lives they wait to be
/// taken.
class Signals {
 public:
  Signals() {
    ::sigemptyset(&awaited_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) ::sigaddset(&awaited_, number);
    ::sigprocmask(SIG_BLOCK, &awaited_, &before_);
  }
  ~Signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Waits a pause. @return whether it is time to end
  bool pause() const {
    const timespec patience{kBetweenLooks, 0};
    const int number = ::sigtimedwait(&awaited_, nullptr, &patience);
    return number > 0 && number != SIGWINCH;
  }

 private:
  sigset_t awaited_{}, before_{};
};

/// Plan of a study whose store has its spec; what cannot be read any more (its data has gone) has no estimate.
struct Plan {
  Expected expected;
  std::optional<std::int64_t> trials;
};

Plan plan_of(const std::string& store, const std::string& study) {
  try {
    const storage::StudyRow row = storage::Store::find(store, study).value();
    const spec::StudySpec spec = spec::from_json(row.spec, row.spec_text);
    return {expected_of(spec), spec.rules.limits.trials};
  } catch (const Error&) {
    return {};
  }
}

driver::Progress progress_of(const report::Live& live, const Plan& plan) {
  driver::Progress progress{.trials_done = live.completed + live.pruned + live.failed + live.cancelled,
                            .trials_failed = live.failed,
                            .trials_pruned = live.pruned,
                            .running = live.busy,
                            .workers = live.workers,
                            .trials_paused = live.paused,
                            .trials_completed = live.completed,
                            .trials_cancelled = live.cancelled,
                            .epochs = live.epochs,
                            .epochs_before = live.epochs_before,
                            .trials_limit = plan.trials,
                            .best = live.best,
                            .best_trial = live.best_trial,
                            .seconds = live.seconds};
  for (const report::LivePiece& piece : live.pieces)
    progress.pieces.push_back({piece.key.member, piece.epochs, piece.curve, piece.params});
  return progress;
}

/// The study as lines: its name, the view, the newest lines of its logs.
class Top {
 public:
  Top(const std::string& store, std::string study)
      : study_(std::move(study)), plan_(plan_of(store, study_)), reader_(store, study_, driver::Progress::kMostShown) {}

  /// Reads the study again.
  const report::Live& look() {
    live_ = reader_.read();
    plan_.expected.metric = live_.metric;
    std::vector<std::pair<std::filesystem::file_time_type, std::pair<std::string, std::filesystem::path>>> files;
    for (const report::LivePiece& piece : live_.pieces) {
      const std::string label = fmt::format("[{}] ", piece.key.member.trial.value);
      std::error_code none;
      for (const auto& file : piece.logs)
        files.push_back({std::filesystem::last_write_time(file, none), {label, file}});
    }
    std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [time, file] : files) logs_.read_new_lines(file.first, file.second);
    return live_;
  }

  Lines state(const Room& room) const {
    Lines lines{cut(visible(study_) + ": " + live_.state, room.columns == 0 ? std::string::npos : room.columns - 1)};
    if (room.lines == 1) return lines;
    const Room rest{room.columns, room.lines == 0 ? 0 : room.lines - 1};
    for (std::string& line : live_lines(progress_of(live_, plan_), plan_.expected, rest))
      lines.push_back(std::move(line));
    return lines;
  }

  /// The state, and as many lines of the logs as have room below an empty line.
  Lines page(const Room& room) const {
    const std::size_t for_logs = std::min(logs_.lines().size() + 1, room.lines / 2);
    const bool has_logs = !logs_.lines().empty() && (room.lines == 0 || for_logs >= kLeastLogLines);
    Lines lines = state({room.columns, room.lines - (has_logs && room.lines > 0 ? for_logs : 0)});
    if (!has_logs) return lines;
    lines.emplace_back();
    const std::size_t most = room.lines == 0 ? kOnceLines : room.lines - std::min(lines.size(), room.lines);
    const std::size_t shown = std::min(most, logs_.lines().size());
    for (auto line = logs_.lines().end() - std::ptrdiff_t(shown); line != logs_.lines().end(); ++line)
      lines.push_back(room.columns == 0 ? *line : cut(*line, room.columns - 1));
    return lines;
  }

  std::string end_text() const {
    const std::string why =
        live_.reason.empty() || live_.reason == live_.state ? "" : fmt::format(" ({})", live_.reason);
    return fmt::format("{}: {}{}; no driver runs it", study_, live_.state, why);
  }

 private:
  std::string study_;
  Plan plan_;
  report::LiveReader reader_;
  LogLines logs_;
  report::Live live_;
};

void print(const Lines& lines, Console& console) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  console.data(text);
}

/// Draws the study until it ends, a signal comes or the terminal goes away. @return whether the study has ended
bool follow(Top& top, Screen& screen) {
  const Signals signals;
  for (bool is_driven = true; is_driven && !screen.is_gone();) {
    is_driven = top.look().is_driven;
    Room room = screen.room();
    room.lines = std::max<std::size_t>(room.lines, 2) - 1;  // the line of the command stays
    screen.draw(top.page(room));
    if (is_driven && signals.pause()) break;
    if (!is_driven) return true;
  }
  return false;
}

int run_top(const Arguments& arguments, Console& console) {
  Top top(arguments.store(),
          report::find_study(arguments.store(), arguments.words().empty() ? "" : arguments.words()[0]));
  const Room width{terminal_width(STDOUT_FILENO), 0};
  bool is_over = false;
  if (arguments.has("once") || !can_redraw(STDOUT_FILENO)) {
    is_over = !top.look().is_driven;
    print(top.page(width), console);
  } else {
    Screen screen(STDOUT_FILENO);
    is_over = follow(top, screen);
    screen.clear();
    if (screen.is_gone()) return 0;
    print(top.state(screen.room()), console);
  }
  if (is_over) console.note(top.end_text());
  return 0;
}

}  // namespace

Verb top_verb() {
  return {.name = "top",
          .summary = "watch a running study, with the logs of its trials",
          .text =
              "Shows what `dlrun tune` shows, once a second, and below it the newest lines that running trials wrote, "
              "each with its trial's number. It reads the store and changes nothing; it ends with the study, with "
              "Ctrl-C or with its terminal. Where no driver runs the study, the last state is printed. In a pipe one "
              "state is printed, as by --once.",
          .arguments =
              {{.name = "STUDY", .text = "its name (default: the one started last)", .kind = Kind::study, .least = 0}},
          .options = {{.name = "once", .text = "print one state and end"}, store_option()},
          .examples = {{"dlrun top", "the study started last"}, {"dlrun top digits --once", "for a script"}},
          .run = run_top};
}

}  // namespace dlrun::cli
