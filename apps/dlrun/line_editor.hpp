// SPDX-License-Identifier: Apache-2.0
// Lines that a person types at a terminal, edited by libedit: with a history that lasts and completion by Tab.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::cli {

/// Completion of the text before the cursor: whole words, of which each begins with `word`, the text's end.
struct Completion {
  std::string_view word;
  std::vector<std::string> words;
};

class LineEditor {
 public:
  using Complete = std::function<Completion(std::string_view before)>;
  enum class Ended { line, cancelled, input };  ///< by Return, by Ctrl-C, by Ctrl-D

  /// @param history  file that is read now and written by each remember(); empty: none
  LineEditor(Complete complete, std::filesystem::path history);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Reads a line, without its end. REQUIRES: standard input is a terminal.
  Ended read(const std::string& prompt, std::string& line);
  /// Adds to the history.
  void remember(const std::string& text);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

/// The common beginning of all words. REQUIRES: there is a word.
std::string common_beginning(const std::vector<std::string>& words);

/// Words in columns, down and then right, on lines of that width; of very many the first.
std::string in_columns(const std::vector<std::string>& words, std::size_t width);

}  // namespace dlrun::cli
