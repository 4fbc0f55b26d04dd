// SPDX-License-Identifier: Apache-2.0
#include "document/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "util/utf8.hpp"

namespace dlrun::document {

namespace {

/// A source line as it is printed, and where the marked part lies in it.
struct Excerpt {
  std::string text;
  std::string marks;  ///< spaces (and the line's own tabs), then ^~~~
};

/// Long lines are cut to a window around the place.
struct Window {
  std::size_t begin;
  std::size_t end;
};

Window window_of(std::string_view line, std::size_t at) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kWidth = 120;
  if (line.size() <= kWidth) return {0, line.size()};
  std::size_t begin = at > kBefore ? at - kBefore : 0;
  std::size_t end = std::min(line.size(), begin + kWidth);
  while (begin > 0 && continues_character(line[begin])) --begin;
  while (end < line.size() && continues_character(line[end])) ++end;
  return {begin, end};
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7F) c = '?';
  }
  return out;
}

Excerpt excerpt_of(const Span& span) {
  const std::string_view line = span.source->line(span.line);
  const std::size_t at = std::min(std::size_t(span.column) - 1, line.size());
  const Window window = window_of(line, at);
  Excerpt out;
  const std::string_view cut = line.substr(window.begin, window.end - window.begin);
  out.text = (window.begin > 0 ? "…" : "") + printable(cut) + (window.end < line.size() ? "…" : "");
  out.marks = window.begin > 0 ? " " : "";
  const std::size_t end = std::min(at + std::size_t(span.length), std::max(window.end, at + 1));
  for (std::size_t i = window.begin; i < at; ++i) {
    if (!continues_character(line[i])) out.marks += line[i] == '\t' ? '\t' : ' ';
  }
  out.marks += '^';
  for (std::size_t i = at + 1; i < end && i < line.size(); ++i) {
    if (!continues_character(line[i])) out.marks += '~';
  }
  return out;
}

std::string render_place(const Span& span, const std::string& severity, const std::string& message) {
  if (!span.exists()) {
    const std::string name = span.source ? span.source->name + ": " : std::string();
    return fmt::format("{}{}: {}\n", name, severity, message);
  }
  const Excerpt excerpt = excerpt_of(span);
  return fmt::format("{}: {}: {}\n{:>5} | {}\n      | {}\n", to_string(span), severity, message, span.line,
                     excerpt.text, excerpt.marks);
}

auto position(const Diagnostic& d) {
  const int order = d.at.source ? d.at.source->order : -1;
  return std::make_tuple(order, d.at.line, d.at.column);
}

bool says_the_same(const Diagnostic& a, const Diagnostic& b) {
  return position(a) == position(b) && a.message == b.message;
}

}  // namespace

std::string render(const Diagnostic& d) {
  std::string out = render_place(d.at, d.is_warning ? "warning" : "error", d.message);
  for (const Note& note : d.notes) out += render_place(note.at, "note", note.message);
  if (!d.help.empty()) out += "  help: " + d.help + "\n";
  return out;
}

std::size_t Diagnostics::error_count() const {
  return std::size_t(std::count_if(list_.begin(), list_.end(), [](const Diagnostic& d) { return !d.is_warning; }));
}

std::vector<Diagnostic> Diagnostics::sorted(bool warnings) const {
  std::vector<Diagnostic> out;
  for (const Diagnostic& d : list_) {
    if (d.is_warning == warnings) out.push_back(d);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return position(a) < position(b); });
  out.erase(std::unique(out.begin(), out.end(), says_the_same), out.end());
  return out;
}

std::string Diagnostics::render_errors(std::size_t limit) const {
  const std::vector<Diagnostic> errors = sorted(false);
  std::string out;
  for (std::size_t i = 0; i < errors.size() && i < limit; ++i) out += render(errors[i]);
  if (errors.size() > limit) out += fmt::format("and {} more\n", errors.size() - limit);
  return out;
}

std::vector<std::string> Diagnostics::render_warnings() const {
  std::vector<std::string> out;
  for (const Diagnostic& d : sorted(true)) out.push_back(render(d));
  return out;
}

void require_sound(const Diagnostics& faults) {
  if (faults.has_errors()) throw DocumentError(faults.render_errors(), faults.error_count());
}

}  // namespace dlrun::document
