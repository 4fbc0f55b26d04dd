// SPDX-License-Identifier: Apache-2.0
#include "log_lines.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "util/visible.hpp"

namespace dlrun::cli {

namespace {

std::string read_part(const std::filesystem::path& file, std::uintmax_t from, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.seekg(std::streamoff(from));
  in.read(text.data(), std::streamsize(bytes));
  text.resize(std::size_t(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

/// Tabs as blanks; of what was written over the last state.
std::string plain(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (const auto over = line.rfind('\r'); over != std::string_view::npos) line.remove_prefix(over + 1);
  std::string text;
  for (const char c : line) text += c == '\t' ? std::string("    ") : std::string(1, c);
  return visible(text);
}

}  // namespace

void LogLines::read_new_lines(const std::string& label, const std::filesystem::path& file) {
  std::error_code fault;
  const std::uintmax_t size = std::filesystem::file_size(file, fault);
  if (fault) return;
  std::uintmax_t& position = positions_[file];
  if (size < position) position = 0;  // truncated, or replaced by another file
  if (size == position) return;
  const bool is_cut = size - position > kMostBytes;
  if (is_cut) position = size - kMostBytes;
  const std::string text = read_part(file, position, std::size_t(size - position));
  std::string_view rest = text;
  if (is_cut) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);  // the first line lacks its beginning
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    lines_.push_back(label + plain(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  position += text.size() - rest.size();
  while (lines_.size() > kMost) lines_.pop_front();
}

}  // namespace dlrun::cli
