// SPDX-License-Identifier: Apache-2.0
// Faults with a place, and how a person sees them:
//
//   studies/mnist.yaml:14:30: error: a log scale needs low > 0, but low is 0
//      14 |       lr: {type: float, low: 0, high: 1, scale: log}
//         |                              ^
//     help: write low: 1e-6, or scale: linear
#pragma once
#include <string>
#include <vector>

#include "document/source.hpp"
#include "util/error.hpp"

namespace dlrun::document {

/// Another place that belongs to the fault: where a key was given first.
struct Note {
  Span at;
  std::string message;
};

/// Message: lower case, no full stop, value quoted, then the rule. Help: what would be right, may be empty.
struct Diagnostic {
  Span at;
  std::string message;
  std::string help;
  std::vector<Note> notes;
  bool is_warning = false;
  std::string code = {};  ///< code of the rule that is broken, "E202"; the message begins with it. Empty: none
};

/// All lines, each ended by '\n'. Nothing a terminal would act on gets through.
std::string render(const Diagnostic& diagnostic);

/// Collects the faults of one reading.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  void error(Span at, std::string message, std::string help = {}) {
    add({std::move(at), std::move(message), std::move(help), {}, false});
  }
  void warning(Span at, std::string message, std::string help = {}) {
    add({std::move(at), std::move(message), std::move(help), {}, true});
  }
  bool has_errors() const { return error_count() > 0; }
  std::size_t error_count() const;
  const std::vector<Diagnostic>& list() const { return list_; }
  /// Errors by position, at most `limit`, then "and N more"; the same fault at the same place is said once.
  std::string render_errors(std::size_t limit = 20) const;
  /// Warnings by position, one text each.
  std::vector<std::string> render_warnings() const;

 private:
  std::vector<Diagnostic> sorted(bool warnings) const;
  std::vector<Diagnostic> list_;
};

/// Faults of a document; what() is the rendered list, ready to print as it is.
class DocumentError : public Error {
 public:
  DocumentError(const std::string& rendered, std::size_t count) : Error(ErrorKind::usage, rendered), count_(count) {}
  std::size_t count() const { return count_; }

 private:
  std::size_t count_;
};

/// @throws DocumentError if there are errors
void require_sound(const Diagnostics& faults);

}  // namespace dlrun::document
