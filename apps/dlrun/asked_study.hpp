// SPDX-License-Identifier: Apache-2.0
// Parts that `ask` and `tell` share: the study that a word names, and remarks of a call.
#pragma once
#include <string>

#include "arguments.hpp"
#include "driver/driver.hpp"
#include "output/console.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::cli {

/// A file, with --lanes, or a study of the store by its name. A study that is in the store keeps the lanes that it was
/// created with.
spec::StudySpec asked_study(const std::string& word, const Arguments& arguments, Console& console);

/// A study of the store, by its name or by its file; what else the file says by now is of no importance.
spec::StudySpec told_study(const std::string& word, const Arguments& arguments, Console& console);

/// Prints lines as remarks.
class Remarks final : public driver::Display {
 public:
  explicit Remarks(Console& console) : console_(console) {}
  void progress(const driver::Progress&) override {}
  void line(const std::string& text) override { console_.note(text); }

 private:
  Console& console_;
};

}  // namespace dlrun::cli
