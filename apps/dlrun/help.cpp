// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr std::size_t kWidth = 100;

/// Breaks `text` at spaces so that no line is longer than kWidth; lines after the first start with `indent` spaces.
std::string indented(const std::string& text, std::size_t column, std::size_t indent) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
    if (column > indent && column + (end - start) > kWidth) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    out.append(text, start, end - start);
    column += end - start;
    if (end < text.size() && text[end] == '\n') {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (end < text.size()) {
      out += ' ';
      ++column;
    }
    start = end + 1;
  }
  return out;
}

/// Two columns, the first as wide as its longest entry.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string out;
  for (const auto& [left, right] : rows) {
    out += fmt::format("  {:<{}}  {}\n", left, width, indented(right, width + 4, width + 4));
  }
  return out;
}

std::string option_name(const Option& option) {
  std::string name = option.letter ? fmt::format("-{}, --{}", option.letter, option.name) : "    --" + option.name;
  if (!option.value.empty()) name += " " + option.value;
  return name;
}

std::string argument_name(const Argument& argument) {
  const std::string name = argument.most < 0 || argument.most > 1 ? argument.name + "..." : argument.name;
  return argument.least > 0 ? name : "[" + name + "]";
}

std::string examples(const Verb& verb) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Example& example : verb.examples) rows.emplace_back(example.line, example.text);
  return columns(rows);
}

struct Group {
  std::string title;
  std::vector<std::string> verbs;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {"begin", {"init", "check", "profile", "place", "schema", "doctor"}},
      {"run", {"tune", "train", "ablate", "resume", "stop", "cancel", "retry", "enqueue", "ask", "tell"}},
      {"look",
       {"report", "sql", "plot", "serve", "top", "status", "show", "explain", "diff", "lineage", "reproduce", "logs",
        "studies"}},
      {"use", {"eval", "predict", "export", "mcp", "plugins"}},
      {"keep", {"note", "tag", "import", "verify", "gc", "delete"}},
      {"dlrun itself", {"help", "completion", "version"}},
  };
  return all;
}

}  // namespace

std::string usage_line(const Verb& verb) {
  std::string line = "dlrun " + verb.name;
  for (const Argument& argument : verb.arguments) line += " " + argument_name(argument);
  return line + " [options]";
}

std::string verb_help(const Verb& verb, const Style& style) {
  std::string out = fmt::format("{} - {}\n\n{} {}\n", style.bold("dlrun " + verb.name), verb.summary,
                                style.bold("usage:"), usage_line(verb));
  if (!verb.text.empty()) out += "\n" + indented(verb.text, 0, 0) + "\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Argument& argument : verb.arguments) rows.emplace_back(argument.name, argument.text);
  if (!rows.empty()) out += "\n" + style.bold("arguments:") + "\n" + columns(rows);
  rows.clear();
  for (const Option& option : all_options(verb)) rows.emplace_back(option_name(option), option.text);
  out += "\n" + style.bold("options:") + "\n" + columns(rows);
  if (!verb.examples.empty()) out += "\n" + style.bold("examples:") + "\n" + examples(verb);
  return out;
}

std::string overview(const Style& style) {
  std::string out = "dlrun - search for the best settings of a deep-learning model, from one YAML file\n\n" +
                    style.bold("usage:") + " dlrun VERB [arguments] [options]\n";
  for (const Group& group : groups()) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const std::string& name : group.verbs) {
      if (const Verb* verb = find_verb(name)) rows.emplace_back(fmt::format("{:<10}", name), verb->summary);
    }
    if (!rows.empty()) out += "\n" + style.bold(group.title + ":") + "\n" + columns(rows);
  }
  return out +
         "\n`dlrun help VERB` says what a verb takes, with an example. To begin: dlrun init, dlrun tune study.yaml\n";
}

}  // namespace dlrun::cli
