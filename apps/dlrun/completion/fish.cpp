// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scripts.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kFishHead = R"sh(# fish completion for dlrun, written by `dlrun completion fish`
# To use it now: dlrun completion fish | source
function __dlrun_names
    set -l store dlrun-store
    test -n "$DLRUN_STORE"; and set store $DLRUN_STORE
    set -l words (commandline -opc)
    for i in (seq (count $words))
        if test "$words[$i]" = --store; and test $i -lt (count $words)
            set store $words[(math $i + 1)]
        end
    end
    dlrun __complete $argv[1] (commandline -ct) --store $store 2>/dev/null
end
complete -c dlrun -f
)sh";

std::string fish_action(Kind kind, const std::vector<std::string>& choices) {
  if (!choices.empty()) return " -x -a " + quoted(fmt::format("{}", fmt::join(choices, " ")));
  if (kind == Kind::file) return " -r -F";
  if (kind == Kind::folder) return " -x -a '(__fish_complete_directories)'";
  const std::string dynamic = dynamic_kind(kind);
  return dynamic.empty() ? " -x" : fmt::format(" -x -a '(__dlrun_names {})'", dynamic);
}

/// fish offers the words of all places at each of them.
std::string argument_line(const Argument& argument, const std::string& within, const std::vector<std::string>& names) {
  if (argument.kind == Kind::file) return within + " -F\n";
  const auto& choices = argument.kind == Kind::verb ? names : argument.choices;
  if (choices.empty() && dynamic_kind(argument.kind).empty()) return {};
  return within + fish_action(argument.kind, choices) + "\n";
}

std::string verb_lines(const Verb& verb, const std::vector<std::string>& names) {
  const std::string within = fmt::format("complete -c dlrun -n '__fish_seen_subcommand_from {}'", verb.name);
  std::string out =
      fmt::format("complete -c dlrun -n __fish_use_subcommand -a {} -d {}\n", verb.name, quoted(verb.summary));
  for (const Option& option : all_options(verb)) {
    out += fmt::format("{} -l {}", within, option.name);
    if (option.letter) out += fmt::format(" -s {}", option.letter);
    if (!option.value.empty()) out += fish_action(option.kind, option.choices);
    out += fmt::format(" -d {}\n", quoted(option.text));
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(verb.arguments.size(), 2); ++i)
    out += argument_line(verb.arguments[i], within, names);
  return out;
}

}  // namespace

std::string fish_script(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (!verb.hidden) names.push_back(verb.name);
  }
  std::string out = kFishHead;
  for (const Verb& verb : verbs) {
    if (!verb.hidden) out += verb_lines(verb, names);
  }
  return out;
}

}  // namespace dlrun::cli
