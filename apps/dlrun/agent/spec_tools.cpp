// SPDX-License-Identifier: Apache-2.0
// Tools for writing a study: check it, look up keys and verbs.
#include <fmt/format.h>

#include "agent/guarded_study.hpp"
#include "agent/tables.hpp"
#include "agent/tools.hpp"
#include "help.hpp"
#include "plan/ablation_plan.hpp"
#include "plan/plan.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli::agent {

namespace {

using mcp::Answer;
using mcp::Caller;
using mcp::Parameters;
using mcp::Tool;
using mcp::Type;

constexpr std::size_t kLongestStudy = 200'000;  // bytes of YAML

Order order_in(const Json& arguments) {
  Order order{text_in(arguments, "file"), text_in(arguments, "ablation"), texts_in(arguments, "set")};
  if (arguments.contains("text")) order.text = text_in(arguments, "text");
  if (order.text && !order.file.empty()) throw Error(ErrorKind::usage, "'text' and 'file' exclude one another");
  if (!order.text && order.file.empty())
    throw Error(ErrorKind::usage, "there is nothing to check", "give text, or file");
  return order;
}

Answer check(const Grant& grant, const Json& arguments) {
  const Guarded read = read_guarded(order_in(arguments), grant);
  Answer out = to_answer(read.spec.ablation ? plan::ablation_tables(read.spec) : plan::plan_tables(read.spec),
                         Json{{"limit", 1000}});
  out.data["study"] = read.spec.name;
  out.data["kind"] = read.spec.kind;
  out.data["warnings"] = read.warnings;
  return out;
}

Tool check_tool(const Grant& grant) {
  return {.name = "check_study",
          .title = "Check a study",
          .text =
              "Every fault of a study with its line and what would be right, or the plan of a study without faults. "
              "Nothing is started or written.",
          .parameters = {{.name = "text", .text = "the study as YAML", .longest = kLongestStudy},
                         {.name = "file", .text = "in place of text: a file below the root"},
                         {.name = "ablation", .text = "a second file below the root, with `ablation:`"},
                         {.name = "set", .type = Type::texts, .text = "KEY=VALUE, each overrides one key"}},
          .run = [grant](const Json& arguments, const Caller&) { return check(grant, arguments); }};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Name of a top-level key that begins with this line, also one that is commented out.
std::string section_of(const std::string& line) {
  const std::size_t from = line.starts_with("# ") ? 2 : 0;
  const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", from);
  return end == std::string::npos || end == from || line[end] != ':' ? "" : line.substr(from, end - from);
}

Answer keys(const Json& arguments) {
  const std::string wanted = text_in(arguments, "section"), word = text_in(arguments, "find");
  report::Table found{"keys with defaults", {"line"}, {}};
  std::string section;
  for (const std::string& line : lines_of(spec::show_defaults())) {
    if (const std::string next = section_of(line); !next.empty()) section = next;
    const bool is_wanted = (wanted.empty() || section == wanted) && line.find(word) != std::string::npos;
    if (is_wanted) found.rows.push_back({line});
  }
  return to_answer({found}, arguments);
}

Tool keys_tool() {
  Parameters parameters = {
      {.name = "section",
       .text = "a key of the first level, such as search, space, limits, trial or ablation",
       .longest = 100},
      {.name = "find", .text = "only lines that hold this text, such as a key's name", .longest = 100}};
  for (mcp::Parameter& parameter : page_parameters()) parameters.push_back(std::move(parameter));
  return {.name = "study_keys",
          .title = "Keys of a study",
          .text = "Every key of a study file with its default and meaning, as commented YAML.",
          .parameters = std::move(parameters),
          .run = [](const Json& arguments, const Caller&) { return keys(arguments); }};
}

Answer help(const Json& arguments) {
  const std::string verb = text_in(arguments, "verb");
  const std::string text = verb.empty() ? overview(Style(false)) : verb_help(verb_named(verb), Style(false));
  return {{{"lines", lines_of(text)}}};
}

Tool help_tool() {
  return {.name = "help",
          .title = "Help of a verb",
          .text = "Help of the command line: all verbs, or one of them, for advice to a person.",
          .parameters = {{.name = "verb", .text = "such as tune, ablate or report", .longest = 100}},
          .run = [](const Json& arguments, const Caller&) { return help(arguments); }};
}

}  // namespace

std::vector<Tool> spec_tools(const Grant& grant) { return {check_tool(grant), keys_tool(), help_tool()}; }

}  // namespace dlrun::cli::agent
