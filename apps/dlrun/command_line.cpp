// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "arguments.hpp"
#include "failure.hpp"
#include "help.hpp"
#include "new_file.hpp"
#include "output/console.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

using Words = std::vector<std::string>;

/// `--help`, `-h` and `--version` are verbs to most people's fingers.
std::string verb_of(const std::string& word) {
  if (word == "--help" || word == "-h") return "help";
  if (word == "--version" || word == "-V") return "version";
  if (!word.empty() && word[0] == '-') {
    throw Error(ErrorKind::usage, fmt::format("the verb comes first, not '{}'", word),
                "usage: dlrun VERB [arguments] [options]; `dlrun help` lists all verbs");
  }
  return word;
}

/// Errors in the words themselves are printed before --color could be parsed: look for it by hand.
std::string color_of(const Words& words) {
  std::string when = "auto";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--color" && i + 1 < words.size()) when = words[i + 1];
    if (words[i].rfind("--color=", 0) == 0) when = words[i].substr(8);
  }
  return when;
}

/// No verb may write over files of the store: options say which of their values are files that it writes.
void require_outputs_outside(const Verb& verb, const Arguments& arguments) {
  for (const Option& option : verb.options) {
    const std::string file = option.writes ? arguments.text(option.name) : "";
    if (!file.empty() && file != "-") require_outside(arguments.store(), file);
  }
}

int run_verb(const Verb& verb, const Words& words) {
  const Arguments arguments = Arguments::parse(verb, words);
  Console console({.color = arguments.text("color", "auto"),
                   .format = arguments.text("format", "table"),
                   .quiet = arguments.has("quiet")});
  if (arguments.has("help")) {
    console.data(verb_help(verb, console.out_style()));
    return 0;
  }
  if (std::getenv("DLRUN_FAULT_INTERNAL")) throw std::logic_error("asked for by DLRUN_FAULT_INTERNAL");
  require_outputs_outside(verb, arguments);
  return verb.run(arguments, console);
}

}  // namespace

int run_command_line(const Words& words) {
  try {
    if (words.empty()) {
      write_error(overview(Style(wants_color(2, "auto"))));
      return static_cast<int>(ErrorKind::usage);
    }
    return run_verb(verb_named(verb_of(words[0])), Words(words.begin() + 1, words.end()));
  } catch (const std::exception& failure) {
    return report_failure(failure, Style(wants_color(2, color_of(words))));
  }
}

}  // namespace dlrun::cli
