// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "text_width.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

/// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(std::size_t(written));
  }
  return 0;
}

Page make_page(const ConsoleOptions& options) {
  return {.style = Style(wants_color(STDOUT_FILENO, options.color)),
          .width = terminal_width(STDOUT_FILENO),
          .is_terminal = is_terminal(STDOUT_FILENO)};
}

}  // namespace

void write_error(std::string_view text) { write_all(STDERR_FILENO, text); }

report::Audience audience_of(const Console& console) {
  const std::string& format = console.format();
  if (format == "latex") return report::Audience::paper;
  const bool is_for_people = (format == "table" || format == "markdown") && !console.is_quiet();
  return is_for_people ? report::Audience::people : report::Audience::programs;
}

void write_output(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::usage, "cannot write '" + file.string() + "': there is no folder '" + folder.string() + "'");
  }
  write_file(file, text, {.durable = false, .mode = 0644});
}

bool write_or_print(const std::string& file, std::string_view bytes, Console& console) {
  const bool is_out = file == "-";
  is_out ? console.data(bytes) : write_output(file, bytes);
  return is_out;
}

Console::Console(const ConsoleOptions& options)
    : options_(options),
      page_(make_page(options)),
      error_style_(wants_color(STDERR_FILENO, options.color)),
      output_(make_output(options.format, options.quiet, page_)) {}

void Console::use_format(const std::string& name) {
  options_.format = name;
  output_ = make_output(name, options_.quiet, page_);
}

void Console::use_no_page() {
  page_ = Page();
  output_ = make_output(options_.format, options_.quiet, page_);
}

void Console::print(const std::vector<report::Table>& tables) { data(output_->text(tables)); }

void Console::data(std::string_view text) {
  if (is_closed_) return;
  const int fault = write_all(STDOUT_FILENO, text);
  is_closed_ = fault == EPIPE;
  if (fault != 0 && fault != EPIPE) {
    throw Error(ErrorKind::outside, std::string("cannot write to standard output: ") + std::strerror(fault));
  }
}

void Console::note(std::string_view text) {
  if (!options_.quiet) write_error(visible(text, true) + "\n");
}

void Console::warn(std::string_view text) {
  if (!options_.quiet) write_error(error_style_.yellow("warning:") + " " + visible(text, true) + "\n");
}

}  // namespace dlrun::cli
