// SPDX-License-Identifier: Apache-2.0
// A trial that is to be used, as the words and options of `eval` and `predict` name it.
#pragma once
#include <string>
#include <vector>

#include "arguments.hpp"
#include "driver/use.hpp"
#include "final/checkpoint.hpp"
#include "report/selectors.hpp"

namespace dlrun::cli {

struct Trained {
  report::OneTrial trial;
  spec::StudySpec spec;
  final::Checkpoint from;
  Json config;  ///< settings of the trial

  /// "digits/17, best epoch (9)"
  std::string name() const;
};

/// The trial of a word, a study standing for its best one. @param epoch  as checkpoint_of
/// @throws Error(usage) where it trains nothing; Error(not_found).
Trained find_trained(const std::filesystem::path& store, const std::string& word, const std::string& epoch);
/// Trial of the verb's first word, at --epoch; on --device.
Trained find_trained(const Arguments& arguments);

/// `--data FILE` or `--data KEY=FILE …` by the keys of the trial's kind of data. @throws Error(usage).
Json new_files(const Arguments& arguments, const Trained& trained);

/// Runs it. @param rows  as driver::use
trial::Use use(const Arguments& arguments, const Trained& trained, const trial::UseOptions& options, int rows = -1);

/// The option `--epoch`; not given: an empty text.
Option epoch_option();

/// The word for it, and the options that both verbs have.
Argument trained_argument();
std::vector<Option> trained_options();

}  // namespace dlrun::cli
