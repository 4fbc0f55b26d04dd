// SPDX-License-Identifier: Apache-2.0
#include "trial/example_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>

#include "util/error.hpp"
#include "util/utf8.hpp"

namespace dlrun::trial {

namespace {

constexpr std::string_view kHeader = "id,value";

[[noreturn]] void refuse(std::size_t line, const std::string& problem) {
  throw Error(ErrorKind::usage, fmt::format("results of examples, line {}: {}", line, problem));
}

/// Takes the id and the comma behind it off the line. The id keeps its quotes doubled, so equal ids stay equal.
std::string take_id(std::string_view& line, std::size_t number) {
  const bool is_quoted = line.starts_with('"');
  std::size_t end = is_quoted ? 1 : line.find(',');
  while (is_quoted && end < line.size() && (line[end] != '"' || line.substr(end).starts_with("\"\"")))
    end += line[end] == '"' ? 2 : 1;
  const std::size_t comma = is_quoted ? end + 1 : end;
  if (comma >= line.size() || line[comma] != ',') refuse(number, "'id,value' is expected");
  std::string id(is_quoted ? line.substr(1, end - 1) : line.substr(0, end));
  line.remove_prefix(comma + 1);
  return id;
}

void check_id(const std::string& id, std::size_t number) {
  if (id.empty() || id.size() > kLongestId) refuse(number, fmt::format("an id has 1 to {} bytes", kLongestId));
  const bool has_control = std::any_of(id.begin(), id.end(), [](unsigned char c) { return c < ' '; });
  if (has_control || !is_utf8(id)) refuse(number, "an id is UTF-8 text without control characters");
}

double value_of(std::string_view text, std::size_t number) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse(number, fmt::format("'{}' is no finite number", text.substr(0, kLongestId)));
  return value;
}

}  // namespace

std::vector<ExampleResult> read_examples(std::string_view bytes) {
  std::vector<ExampleResult> out;
  std::unordered_set<std::string> ids;
  for (std::size_t number = 1; !bytes.empty(); ++number) {
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);  // as RFC 4180 has it, and Python's csv.writer
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (number == 1 && line != kHeader) refuse(1, "the first line is 'id,value'");
    if (number == 1) continue;
    std::string id = take_id(line, number);
    check_id(id, number);
    const double value = value_of(line, number);
    if (ids.size() == kMostExamples) refuse(number, fmt::format("there are more than {} examples", kMostExamples));
    if (!ids.insert(id).second) refuse(number, fmt::format("the id '{}' is there twice", id));
    out.push_back({std::move(id), value});
  }
  if (out.empty()) refuse(1, "there are no examples");
  return out;
}

}  // namespace dlrun::trial
