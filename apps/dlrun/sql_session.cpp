// SPDX-License-Identifier: Apache-2.0
// Two ways to feed a shell: a person at a terminal, and standard input as a script.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "failure.hpp"
#include "line_editor.hpp"
#include "sql_shell.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

volatile std::sig_atomic_t cancelled = 0;

void note_cancel(int) { cancelled = 1; }

/// While this lives Ctrl-C ends a query and not the program.
class CancelByKey {
 public:
  CancelByKey() {
    struct sigaction action {};
    action.sa_handler = note_cancel;
    ::sigaction(SIGINT, &action, &before_);
  }
  ~CancelByKey() { ::sigaction(SIGINT, &before_, nullptr); }
  CancelByKey(const CancelByKey&) = delete;
  CancelByKey& operator=(const CancelByKey&) = delete;

 private:
  struct sigaction before_ {};
};

fs::path history_file() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "dlrun/sql_history";
  return home != nullptr && *home == '/' ? fs::path(home) / ".local/state/dlrun/sql_history" : fs::path();
}

bool is_command(const std::string& line) { return line.starts_with('.'); }

/// One line of the history; a comment would hide what follows it on the same line.
std::string as_one_line(std::string text) {
  if (text.find("--") != std::string::npos) return {};
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

/// Lines of a terminal as statements.
class Conversation {
 public:
  Conversation(SqlShell& shell, Console& console)
      : shell_(shell),
        console_(console),
        editor_([this](std::string_view before) { return complete(before); }, history_file()) {}

  void run() {
    while (!shell_.is_over()) {
      std::string line;
      const LineEditor::Ended ended = editor_.read(text_.empty() ? "sql> " : "...> ", line);
      if (ended == LineEditor::Ended::input) return console_.data("\n");
      if (ended == LineEditor::Ended::cancelled) text_.clear();
      if (ended == LineEditor::Ended::line) handle_line(line);
    }
  }

 private:
  /// The statement so far decides what may come, and so do the words behind the cursor's line.
  Completion complete(std::string_view before) {
    const std::string all = text_ + std::string(before);
    return {report::last_word(before), shell_.completions(all)};
  }

  void handle_line(const std::string& line) {
    if (text_.empty() && line.find_first_not_of(" \t") == std::string::npos) return;
    if (text_.empty() && is_command(line)) {
      editor_.remember(line);
      return guarded([&] { shell_.command(line); });
    }
    text_ += line + "\n";
    remember();
    while (const auto statement = report::take_statement(text_)) {
      guarded([&] { shell_.ask(*statement, 1, &cancelled); });
    }
    if (report::is_blank_statement(text_)) text_.clear();
  }

  void remember() {
    std::string copy = text_;
    while (report::take_statement(copy)) {
    }
    if (!report::is_blank_statement(copy)) return;  // not whole yet
    const std::string line = as_one_line(text_.substr(0, text_.size() - 1));
    if (!line.empty()) editor_.remember(line);
  }

  template <class Work>
  void guarded(Work work) {
    const CancelByKey cancel_by_key;
    cancelled = 0;
    try {
      work();
    } catch (const std::exception& fault) {
      report_failure(fault, console_.error_style());
    }
  }

  SqlShell& shell_;
  Console& console_;
  LineEditor editor_;
  std::string text_;  ///< the statement that is not whole yet
};

}  // namespace

int talk(SqlShell& shell, Console& console) {
  console.note(
      fmt::format("{} tables; `.help` lists commands, Tab completes, a semicolon ends a statement, Ctrl-D ends",
                  shell.words().tables.size()));
  Conversation(shell, console).run();
  return 0;
}

int run_script(SqlShell& shell) {
  std::string text, line;
  int number = 0, begin = 1;  // numbers of lines: the newest, and the first of the text
  while (!shell.is_over() && std::getline(std::cin, line)) {
    ++number;
    if (report::is_blank_statement(text)) {
      text.clear();
      begin = number;
    }
    if (text.empty() && is_command(line)) {
      shell.command(line);
      continue;
    }
    text += line + "\n";
    while (const auto statement = report::take_statement(text)) {
      shell.ask(*statement, begin, nullptr);
      begin += int(std::count(statement->begin(), statement->end(), '\n'));
    }
  }
  shell.ask(text, begin, nullptr);  // the last one needs no semicolon
  return 0;
}

}  // namespace dlrun::cli
