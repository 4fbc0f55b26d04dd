// SPDX-License-Identifier: Apache-2.0
#include "line_editor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "output/terminal.hpp"
#include "output/text_width.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kRemembered = 1000;        // lines of history
constexpr std::size_t kMostWords = 200;  // shown in a list of completions

/// Letters beyond ASCII are edited as letters only where the locale knows them.
void know_letters() {
  std::setlocale(LC_CTYPE, "");
  if (std::mblen("\u00e4", 2) != 2) std::setlocale(LC_CTYPE, "C.UTF-8");
}

/// The history may have names that are nobody else's business.
void make_private(const fs::path& file) {
  std::error_code none;
  fs::create_directories(file.parent_path(), none);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
}

}  // namespace

struct LineEditor::Library {
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  Complete complete;
  fs::path file;
  std::string prompt;
  std::FILE* out = stdout;
  bool is_cancelled = false;

  static Library& of(EditLine* editor) {
    void* self = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Library*>(self);
  }
  static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  static unsigned char cancel(EditLine* editor, int) {
    of(editor).is_cancelled = true;
    return CC_EOF;
  }

  /// The handler of libedit gives the terminal back meanwhile.
  static unsigned char suspend(EditLine*, int) {
    ::raise(SIGTSTP);
    return CC_REDISPLAY;
  }

  static unsigned char complete_line(EditLine* editor, int) {
    const LineInfo* line = ::el_line(editor);
    return of(editor).complete_with({line->buffer, std::size_t(line->cursor - line->buffer)});
  }

  /// Adds what all the words share beyond what was typed; where that is nothing, shows them.
  unsigned char complete_with(std::string_view before) {
    const Completion found = complete(before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::size_t typed = found.word.size();
    std::string common = common_beginning(found.words);
    if (common.size() > typed) {
      if (!std::equal(found.word.begin(), found.word.end(), common.begin())) common.replace(0, typed, found.word);
      ::el_insertstr(editor, common.substr(typed).c_str());
      return CC_REFRESH;
    }
    std::fputs(("\n" + in_columns(found.words, terminal_width(::fileno(out)))).c_str(), out);
    return CC_REDISPLAY;
  }
};

LineEditor::LineEditor(Complete complete, fs::path history) : library_(std::make_unique<Library>()) {
  know_letters();
  Library& own = *library_;
  own.complete = std::move(complete);
  own.file = std::move(history);
  own.out = is_terminal(STDOUT_FILENO) ? stdout : stderr;
  own.editor = ::el_init("dlrun", stdin, own.out, stderr);
  own.history = ::history_init();
  ::history(own.history, &own.event, H_SETSIZE, kRemembered);
  ::history(own.history, &own.event, H_SETUNIQUE, 1);
  if (!own.file.empty()) ::history(own.history, &own.event, H_LOAD, own.file.c_str());
  ::el_set(own.editor, EL_CLIENTDATA, &own);
  ::el_set(own.editor, EL_PROMPT, &Library::prompt_of);
  ::el_set(own.editor, EL_HIST, ::history, own.history);
  ::el_set(own.editor, EL_SIGNAL, 1);
  ::el_set(own.editor, EL_EDITOR, "emacs");
  ::el_set(own.editor, EL_ADDFN, "dlrun-complete", "completes a word", &Library::complete_line);
  ::el_set(own.editor, EL_ADDFN, "dlrun-cancel", "drops the statement", &Library::cancel);
  ::el_set(own.editor, EL_ADDFN, "dlrun-suspend", "stops the program", &Library::suspend);
  ::el_set(own.editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  ::el_source(own.editor, nullptr);  // ~/.editrc
  ::el_set(own.editor, EL_BIND, "^I", "dlrun-complete", nullptr);
  ::el_set(own.editor, EL_BIND, "^C", "dlrun-cancel", nullptr);
  ::el_set(own.editor, EL_BIND, "^Z", "dlrun-suspend", nullptr);
  ::el_set(own.editor, EL_SETTY, "-d", "-isig", nullptr);  // while a line is edited, these are keys
}

LineEditor::~LineEditor() {
  ::el_end(library_->editor);
  ::history_end(library_->history);
}

LineEditor::Ended LineEditor::read(const std::string& prompt, std::string& line) {
  library_->prompt = prompt;
  library_->is_cancelled = false;
  int count = 0;
  const char* text = ::el_gets(library_->editor, &count);
  if (library_->is_cancelled) {
    std::fputs("^C\n", library_->out);
    std::fflush(library_->out);
    return Ended::cancelled;
  }
  if (text == nullptr || count <= 0) return Ended::input;
  line.assign(text, std::size_t(count));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Ended::line;
}

void LineEditor::remember(const std::string& text) {
  Library& own = *library_;
  ::history(own.history, &own.event, H_ENTER, text.c_str());
  if (own.file.empty()) return;
  make_private(own.file);
  ::history(own.history, &own.event, H_SAVE, own.file.c_str());
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.at(0);
  for (const std::string& word : words) {
    const auto differs = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(differs.first, common.end());
  }
  return common;
}

std::string in_columns(const std::vector<std::string>& words, std::size_t width) {
  const std::size_t shown = std::min(words.size(), kMostWords);
  std::size_t widest = 1;
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, display_width(words[i]));
  const std::size_t across = std::max<std::size_t>(1, width / (widest + 2)), down = (shown + across - 1) / across;
  std::string out;
  for (std::size_t row = 0; row < down; ++row) {
    for (std::size_t i = row; i < shown; i += down)
      out += words[i] + (i + down < shown ? std::string(widest + 2 - display_width(words[i]), ' ') : "\n");
  }
  return shown == words.size() ? out : out + fmt::format("and {} more\n", words.size() - shown);
}

}  // namespace dlrun::cli
