// SPDX-License-Identifier: Apache-2.0
// Ways of a command's words: data to standard output, everything else to standard error.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "output/output.hpp"

namespace dlrun::cli {

struct ConsoleOptions {
  std::string color = "auto";    ///< --color
  std::string format = "table";  ///< --format
  bool quiet = false;            ///< --quiet
};

class Console {
 public:
  explicit Console(const ConsoleOptions& options = {});

  /// Tables in the format that was asked for, to standard output.
  void print(const std::vector<report::Table>& tables);
  void print(const report::Table& table) { print(std::vector<report::Table>{table}); }
  /// Tables in that format, for the caller to put somewhere.
  std::string text_of(const std::vector<report::Table>& tables) const { return output_->text(tables); }
  /// Text as it is, to standard output. A reader that went away (`| head`) is no fault: the rest is dropped.
  /// @throws Error(outside) where it cannot be written, e.g. a full disk.
  void data(std::string_view text);
  /// A remark for a person, to standard error; silent under --quiet.
  void note(std::string_view text);
  /// "warning: …", to standard error; silent under --quiet.
  void warn(std::string_view text);

  const Style& out_style() const { return page_.style; }
  const Style& error_style() const { return error_style_; }
  const std::string& format() const { return options_.format; }
  /// Changes the format of all that is printed later; a value of --format.
  void use_format(const std::string& name);
  /// Makes text_of() that of a file: neither cut nor coloured.
  void use_no_page();
  bool is_quiet() const { return options_.quiet; }
  bool is_out_closed() const { return is_closed_; }
  bool is_out_terminal() const { return page_.is_terminal; }

 private:
  ConsoleOptions options_;
  Page page_;
  Style error_style_;
  std::unique_ptr<Output> output_;
  bool is_closed_ = false;
};

/// Readers of what a console prints.
report::Audience audience_of(const Console& console);

/// Writes a file that the user asked for. @throws Error(usage) where its folder is not there, Error(outside).
void write_output(const std::filesystem::path& file, std::string_view text);

/// Writes to a file, or to standard output if it is called `-`. @return whether that was standard output
bool write_or_print(const std::string& file, std::string_view bytes, Console& console);

/// Writes to standard error, whatever becomes of it.
void write_error(std::string_view text);

}  // namespace dlrun::cli
