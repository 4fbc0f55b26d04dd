// SPDX-License-Identifier: Apache-2.0
// A verb as data: one value drives parsing, `--help`, `dlrun help` and the completion of three shells.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace dlrun::cli {

class Arguments;
class Console;

/// Kind of thing a word stands for; completion asks the store or the file system for it.
enum class Kind { text, file, folder, study, trial, target, verb };

/// `--name VALUE`, or a flag where `value` is empty.
struct Option {
  std::string name;   ///< without dashes
  std::string value;  ///< name of the value in the help, e.g. "DIR"
  std::string text;   ///< one line of help
  Kind kind = Kind::text;
  bool writes = false;               ///< a file or folder that the verb writes: never one of the store
  std::vector<std::string> choices;  ///< values that are right; empty: any
  bool repeats = false;
  char letter = 0;  ///< short form, 0: none
};

/// A word without dashes. `most` < 0: any number.
struct Argument {
  std::string name;
  std::string text;
  Kind kind = Kind::text;
  int least = 1;
  int most = 1;
  std::vector<std::string> choices = {};
};

/// A command line that works, and its effect.
struct Example {
  std::string line;
  std::string text;
};

/// One verb: its name, its words, its work.
struct Verb {
  std::string name;
  std::string summary;  ///< half a line, for the list of verbs
  std::string text;     ///< a paragraph or two
  std::vector<Argument> arguments;
  std::vector<Option> options;  ///< the verb's own; those every verb has are added by all_options()
  std::vector<Example> examples;
  std::function<int(const Arguments&, Console&)> run;
  bool hidden = false;
};

/// The verb's own options, then those that every verb has: --quiet, --color, --help.
std::vector<Option> all_options(const Verb& verb);

/// Options that many verbs share.
Option store_option();
Option format_option();
/// -o, a file that the verb writes.
Option output_option(std::string text);
std::vector<Option> study_options();  ///< --set, --data, --name: how a study file is read

}  // namespace dlrun::cli
