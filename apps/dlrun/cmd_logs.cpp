// SPDX-License-Identifier: Apache-2.0
// dlrun logs TRIAL [-f]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "arguments.hpp"
#include "output/console.hpp"
#include "output/text_width.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"
#include "report/trials.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "trial/trial.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::chrono::milliseconds kPause{200};  // between two looks at a growing log

/// The logs of one trial, printed as they grow.
class Tail {
 public:
  Tail(const std::filesystem::path& store, const report::OneTrial& trial, Console& console)
      : store_(store), trial_(trial), console_(console) {}

  /// Prints what is new. @return whether there was anything
  bool print_news() {
    bool printed = false;
    for (const std::filesystem::path& file : report::TrialReader(store_, trial_).logs())
      printed = print_file(file) || printed;
    return printed;
  }

  /// Whether the log is complete: the trial has ended, or nobody is running its study.
  bool is_over() const {
    if (!storage::WriterLock::is_held(storage::study_file(store_, trial_.study, ".lock"))) return true;
    return trial::is_final(report::shown_state(store_, trial_.study, trial_.number));
  }

  bool has_printed() const { return !current_.empty(); }

 private:
  bool print_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::streamoff& position = positions_[file];
    in.seekg(position);
    bool printed = false;
    char buffer[65536];
    while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
      if (current_ != file) console_.note(fmt::format("==> {} <==", file.string()));
      current_ = file;
      position += in.gcount();
      print(std::string_view(buffer, std::size_t(in.gcount())));
      printed = true;
    }
    return printed;
  }

  /// On a terminal a program's output must not move the cursor or change colours.
  void print(std::string_view text) {
    if (!console_.is_out_terminal()) return console_.data(text);
    std::string plain;
    for (const char c : text) plain += c == '\t' ? std::string("    ") : c == '\r' ? std::string() : std::string(1, c);
    console_.data(visible(plain, true));
  }

  std::filesystem::path store_;
  report::OneTrial trial_;
  Console& console_;
  std::map<std::filesystem::path, std::streamoff> positions_;
  std::filesystem::path current_;
};

/// A worker that died left no file of the attempt's own, but its last lines are in the lineage.
void print_kept(const Arguments& arguments, const report::OneTrial& trial, Console& console) {
  const std::string kept = report::TrialReader(arguments.store(), trial).log_tail();
  if (kept.empty()) {
    const report::Table row =
        report::sql(arguments.store(), {trial.study},
                    fmt::format("select coalesce('; it ' || state || ': ' || message, '') from trials where trial = {}",
                                trial.number));
    const std::string why = row.rows.at(0).at(0).get<std::string>();
    console.note(fmt::format("trial {}/{} has written no log{}", trial.study, trial.number, why));
  } else {
    console.data(console.is_out_terminal() ? visible(kept, true) : kept);
    if (kept.back() != '\n') console.data("\n");
  }
}

int run_logs(const Arguments& arguments, Console& console) {
  const report::OneTrial trial = report::find_trial(arguments.store(), arguments.words()[0]);
  Tail tail(arguments.store(), trial, console);
  while (arguments.has("follow") && !console.is_out_closed()) {
    const bool is_over = tail.is_over();  // asked first: what was written before is printed below
    if (!tail.print_news() && is_over) break;
    if (!is_over) std::this_thread::sleep_for(kPause);
  }
  tail.print_news();
  if (!tail.has_printed()) print_kept(arguments, trial, console);
  return 0;
}

}  // namespace

Verb logs_verb() {
  return {
      .name = "logs",
      .summary = "print what a trial wrote",
      .text = "The logs of all its attempts, the oldest first.",
      .arguments = {{.name = "TRIAL", .text = "a number, STUDY/17, last or best", .kind = Kind::trial}},
      .options = {{.name = "follow", .text = "go on printing until the trial ends or its study stops", .letter = 'f'},
                  store_option()},
      .examples = {{"dlrun logs 3", "trial 3 of the study started last"}, {"dlrun logs last -f", "as it comes"}},
      .run = run_logs};
}

}  // namespace dlrun::cli
