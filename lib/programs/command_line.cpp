// SPDX-License-Identifier: Apache-2.0
#include "programs/command_line.hpp"

#include <optional>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::programs {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

[[noreturn]] void refuse_name(const std::string& name, const TemplateValues& values) {
  std::vector<std::string> names;
  for (const auto& [known, unused] : values.known.items()) names.push_back(known);
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "the command names '{" + name + "}', which is no parameter",
              nearest.empty() ? "write {{ for a brace" : "did you mean '{" + nearest + "}'?");
}

/// nullptr: a parameter that is not active.
const Json* find(const std::string& name, const TemplateValues& values) {
  if (values.params.contains(name)) return &values.params.at(name);
  if (values.known.contains(name)) return nullptr;
  if (!values.own.contains(name)) refuse_name(name, values);
  return &values.own.at(name);
}

/// nullopt: a parameter in it is not active. `${…}` of a script belongs to the shell, but for `{name}` inside.
std::optional<std::string> expand(const std::string& text, const TemplateValues& values, bool shell) {
  std::string out;
  int of_shell = 0;  // open braces
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_double = i + 1 < text.size() && text[i + 1] == text[i];
    const bool opens = shell && text[i] == '{' && !is_double && i > 0 && text[i - 1] == '$';
    if (opens || (text[i] == '}' && of_shell > 0)) {
      of_shell += opens ? 1 : -1;
      out += text[i];
      continue;
    }
    if ((text[i] == '{' || text[i] == '}') && is_double) {
      out += text[i++];
      continue;
    }
    if (text[i] != '{') {
      out += text[i];
      continue;
    }
    const std::size_t close = text.find('}', i);
    if (close == std::string::npos) throw Error(ErrorKind::usage, "'" + text + "' has a '{' that does not close");
    const std::string name = text.substr(i + 1, close - i - 1);
    const Json* found = find(name, values);
    if (found == nullptr) return std::nullopt;
    const std::string value = argument_text(*found);
    out += shell ? quoted(value) : value;
    i = close;
  }
  return out;
}

std::vector<std::string> all_arguments(const TemplateValues& values) {
  const Json known = known_of(values.params, values.known);
  std::vector<std::string> out;
  for (const auto& [name, value] : known.items()) out.push_back("--" + name + "=" + argument_text(value));
  return out;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) out += (out.empty() ? "" : " ") + quoted(argument);
  return out;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

Json known_of(const Json& params, const Json& known) {
  Json out = Json::object();
  for (const auto& [name, value] : params.items()) {
    if (known.contains(name)) out[name] = value;
  }
  return out;
}

std::string argument_text(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

std::vector<std::string> expand_arguments(const std::vector<std::string>& templates, const TemplateValues& values,
                                          bool shell) {
  std::vector<std::string> out;
  for (std::string text : templates) {
    if (text == "${args}" && !shell) {
      for (std::string& argument : all_arguments(values)) out.push_back(std::move(argument));
      continue;
    }
    if (shell) replace_all(text, "${args}", "\x01");  // kept out of the way of '{name}'
    auto argument = expand(text, values, shell);
    if (!argument) continue;
    if (shell) replace_all(*argument, "\x01", joined(all_arguments(values)));
    out.push_back(std::move(*argument));
  }
  return out;
}

}  // namespace dlrun::programs
