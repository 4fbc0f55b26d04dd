// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "scripts.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kBashHead = R"sh(# bash completion for dlrun, written by `dlrun completion bash`
# To use it now: source <(dlrun completion bash)
_dlrun() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} store=${DLRUN_STORE:-dlrun-store} i
  COMPREPLY=()
  if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $cur == = ]]; then cur=; fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == --store ]]; then
      store=${COMP_WORDS[i+1]}
      if [[ $store == = ]]; then store=${COMP_WORDS[i+2]}; fi
    fi
  done
)sh";

constexpr const char* kBashTail = R"sh(}
_dlrun_names() {
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __complete "$1" "$3" --store "$2" 2>/dev/null)" -- "$3"))
}
_dlrun_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}
complete -F _dlrun dlrun
)sh";

std::string bash_words(const std::vector<std::string>& words) {
  return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", fmt::join(words, " "));
}

/// Bash command that completes a value or a word.
std::string bash_action(Kind kind, const std::vector<std::string>& choices,
                        const std::vector<std::string>& verb_names) {
  if (!choices.empty()) return bash_words(choices);
  if (kind == Kind::file) return "_dlrun_paths -f \"$cur\"";
  if (kind == Kind::folder) return "_dlrun_paths -d \"$cur\"";
  if (kind == Kind::verb) return bash_words(verb_names);
  const std::string dynamic = dynamic_kind(kind);
  return dynamic.empty() ? ":" : fmt::format("_dlrun_names {} \"$store\" \"$cur\"", dynamic);
}

std::string bash_verb_case(const Verb& verb, const std::vector<std::string>& names) {
  std::string out = fmt::format("    {})\n", verb.name);
  std::vector<std::string> options;
  std::string values;
  for (const Option& option : all_options(verb)) {
    options.push_back("--" + option.name);
    if (option.value.empty()) continue;
    const std::string letter = option.letter ? fmt::format("|-{}", option.letter) : "";
    values += fmt::format("        --{}{}) {}; return ;;\n", option.name, letter,
                          bash_action(option.kind, option.choices, names));
  }
  out += "      case $prev in\n" + values + "      esac\n";
  out += fmt::format("      if [[ $cur == -* ]]; then {}; return; fi\n", bash_words(options));
  if (verb.arguments.size() > 1) {
    const Argument& second = verb.arguments[1];
    out += fmt::format("      if ((COMP_CWORD > 2)); then {}; return; fi\n",
                       bash_action(second.kind, second.choices, names));
  }
  if (!verb.arguments.empty()) {
    const Argument& argument = verb.arguments[0];
    out += "      " + bash_action(argument.kind, argument.choices, names) + "\n";
  }
  return out + "      ;;\n";
}

}  // namespace

std::string bash_script(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (!verb.hidden) names.push_back(verb.name);
  }
  std::string out = kBashHead;
  out += fmt::format("  if ((COMP_CWORD == 1)); then {}; return; fi\n  case $verb in\n", bash_words(names));
  for (const Verb& verb : verbs) {
    if (!verb.hidden) out += bash_verb_case(verb, names);
  }
  return out + "  esac\n" + kBashTail;
}

}  // namespace dlrun::cli
