// SPDX-License-Identifier: Apache-2.0
// The words after the verb, parsed and checked against the verb's table.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verb.hpp"

namespace dlrun::cli {

class Arguments {
 public:
  /// @throws Error(usage): unknown option (with the nearest known one), missing value, wrong choice, too many or too
  /// few
  ///         words. Words after `--` are no options. Where --help is given nothing else is checked.
  static Arguments parse(const Verb& verb, const std::vector<std::string>& words);

  bool has(const std::string& option) const { return values_.count(option) > 0; }
  /// The last value given, else `fallback`.
  std::string text(const std::string& option, const std::string& fallback = {}) const;
  /// Every value given, in order.
  std::vector<std::string> list(const std::string& option) const;
  /// A whole number of at least `least`. @throws Error(usage) naming option and value.
  std::int64_t number(const std::string& option, std::int64_t fallback, std::int64_t least) const;
  /// Seconds, at most a day; a fraction may be given. @throws Error(usage) naming option and value.
  double seconds(const std::string& option, double fallback) const;
  /// A value that must be there, more than 0 and at most `most`. @param unit  for the message, "seconds"
  double amount(const std::string& option, const std::string& unit, double most) const;
  const std::vector<std::string>& words() const { return words_; }
  /// All words as one line, for the lineage.
  const std::string& line() const { return line_; }
  /// Adds a comment of the shell to the line.
  void remark(const std::string& text) { line_ += "  # " + text; }
  /// Folder of the store, behind the links that its path may go through.
  const std::string& store() const { return store_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> words_;
  std::string line_;
  std::string store_;
};

}  // namespace dlrun::cli
