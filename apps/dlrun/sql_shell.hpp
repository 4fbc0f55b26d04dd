// SPDX-License-Identifier: Apache-2.0
// `dlrun sql`: statements one after the other, from a person or from a script.
#pragma once
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "output/console.hpp"
#include "report/sql_text.hpp"

namespace dlrun::cli {

/// Statements and commands of one shell, whoever types them.
class SqlShell {
 public:
  SqlShell(std::filesystem::path store, std::vector<std::string> studies, double seconds, Console& console);

  const report::SqlWords& words() const { return words_; }
  /// After `.quit`.
  bool is_over() const { return is_over_; }
  /// Whole words that may end what was typed, of a statement or of a command.
  std::vector<std::string> completions(std::string_view before) const;

  /// Carries out a line that begins with a point. @throws Error(usage) for what it does not know
  void command(const std::string& line);
  /// Asks, and prints the answer. @throws as report::sql_apart()
  /// @param is_cancelled  set by the handler of Ctrl-C; may be nullptr
  void ask(const std::string& statement, int first_line, const volatile std::sig_atomic_t* is_cancelled);

 private:
  void use_format(const std::string& name);
  void describe(const std::string& table);

  std::filesystem::path store_;
  std::vector<std::string> studies_;
  double seconds_;
  Console& console_;
  report::SqlWords words_;
  bool is_over_ = false;
};

/// A person's: prompts, completes, goes on after faults, ends with Ctrl-D or `.quit`.
int talk(SqlShell& shell, Console& console);

/// Statements from standard input. @throws the first fault
int run_script(SqlShell& shell);

}  // namespace dlrun::cli
