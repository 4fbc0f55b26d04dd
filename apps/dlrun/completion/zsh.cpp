// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scripts.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kZshHead = R"sh(#compdef dlrun
# zsh completion for dlrun, written by `dlrun completion zsh`
# To use it now: source <(dlrun completion zsh)
_dlrun_names() {
  local store=${DLRUN_STORE:-dlrun-store} i
  for ((i = 1; i < $#words; i++)); do
    [[ $words[i] == --store ]] && store=$words[i+1]
    [[ $words[i] == --store=* ]] && store=${words[i]#--store=}
  done
  compadd -- ${(f)"$(dlrun __complete ${@[-1]} "$PREFIX" --store "$store" 2>/dev/null)"}
}
_dlrun() {
  local -a verbs
)sh";

constexpr const char* kZshTail = R"sh(  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _dlrun "$@"; else compdef _dlrun dlrun; fi
)sh";

/// Inside [..] and after : of an _arguments specification.
std::string guarded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(Kind kind, const std::vector<std::string>& choices) {
  if (!choices.empty()) return fmt::format("({})", fmt::join(choices, " "));
  if (kind == Kind::file) return "_files";
  if (kind == Kind::folder) return "_files -/";
  if (kind == Kind::verb) return "{_describe verb verbs}";
  const std::string dynamic = dynamic_kind(kind);
  return dynamic.empty() ? " " : "_dlrun_names " + dynamic;
}

std::string option_spec(const Option& option) {
  std::string rest = fmt::format("[{}]", guarded(option.text));
  if (!option.value.empty()) rest += fmt::format(":{}:{}", option.value, zsh_action(option.kind, option.choices));
  const std::string star = option.repeats ? "*" : "";
  std::string out = fmt::format(" \\\n        {}", quoted(fmt::format("{}--{}{}", star, option.name, rest)));
  if (option.letter) out += fmt::format(" \\\n        {}", quoted(fmt::format("{}-{}{}", star, option.letter, rest)));
  return out;
}

std::string zsh_verb_case(const Verb& verb) {
  std::string out = fmt::format("    {})\n      _arguments", verb.name);
  for (const Option& option : all_options(verb)) out += option_spec(option);
  const std::size_t count = std::min<std::size_t>(verb.arguments.size(), 2);
  for (std::size_t i = 0; i < count; ++i) {
    const Argument& argument = verb.arguments[i];
    out +=
        fmt::format(" \\\n        {}", quoted(fmt::format("{}:{}:{}", i + 1 < count ? "1" : "*", guarded(argument.name),
                                                          zsh_action(argument.kind, argument.choices))));
  }
  return out + "\n      ;;\n";
}

}  // namespace

std::string zsh_script(const std::vector<Verb>& verbs) {
  std::string out = kZshHead;
  out += "  verbs=(\n";
  for (const Verb& verb : verbs) {
    if (!verb.hidden) out += "    " + quoted(verb.name + ":" + guarded(verb.summary)) + "\n";
  }
  out += "  )\n  if ((CURRENT == 2)); then _describe verb verbs; return; fi\n";
  out += "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n";
  for (const Verb& verb : verbs) {
    if (!verb.hidden) out += zsh_verb_case(verb);
  }
  return out + kZshTail;
}

}  // namespace dlrun::cli
