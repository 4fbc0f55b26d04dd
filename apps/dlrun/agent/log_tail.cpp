// SPDX-License-Identifier: Apache-2.0
#include "agent/log_tail.hpp"

#include <algorithm>
#include <fstream>

namespace dlrun::cli::agent {

namespace {

constexpr std::streamoff kReadBytes = 64'000;  // read from the end of each file
constexpr std::size_t kMostBytes = 40'000;     // for all lines together
constexpr std::size_t kLongestLine = 1'000;

}  // namespace

void LogTail::add_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in.tellg();
  if (!in || size <= 0) return;
  const std::streamoff count = std::min(size, kReadBytes);
  in.seekg(size - count);
  std::string text(std::size_t(count), '\0');
  in.read(text.data(), count);
  text.resize(std::size_t(in.gcount()));
  if (count < size) {
    is_whole_ = false;
    text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);  // a line that began before
  }
  append(text);
}

void LogTail::append(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    add_line(text.substr(at, end - at));
    at = end + 1;
  }
}

void LogTail::add_line(std::string line) {
  if (line.size() > kLongestLine) {
    line.resize(kLongestLine);
    is_whole_ = false;
  }
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  while (lines_.size() > most_ || bytes_ > kMostBytes) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
    is_whole_ = false;
  }
}

}  // namespace dlrun::cli::agent
