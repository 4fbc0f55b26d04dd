// SPDX-License-Identifier: Apache-2.0
#include "document/faults.hpp"

#include "util/edit_distance.hpp"

namespace dlrun::document {

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : key.empty() ? path : path + "." + key;
}

std::string suggest(const std::string& name, const std::vector<std::string>& known, const std::string& lead) {
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return "did you mean " + quote(nearest) + "?";
  constexpr std::size_t kMost = 24;
  std::string out;
  for (std::size_t i = 0; i < known.size() && i < kMost; ++i) out += (i == 0 ? " " : ", ") + known[i];
  if (known.size() > kMost) out += ", …";
  return out.empty() ? out : lead + out;
}

std::string Faults::help_for(const std::string& path, const std::string& word, const std::vector<std::string>& known,
                             const std::string& lead) const {
  const std::string advice = advice_ ? advice_(path, word) : "";
  return advice.empty() ? suggest(word, known, lead) : advice;
}

Span Faults::find(std::string path, bool wants_key) const {
  for (bool is_exact = true;; is_exact = false) {
    const auto found = places_.find(path);
    if (found != places_.end()) return wants_key || !is_exact ? found->second.key : found->second.value;
    const std::size_t dot = path.rfind('.');
    if (path.empty()) return {};
    path = dot == std::string::npos ? "" : path.substr(0, dot);
  }
}

void Faults::wrote(const std::string& path, const Node& map, const std::string& key) {
  for (const Entry& entry : map.entries) {
    if (entry.key == key) wrote(path, {entry.key_span, entry.value.span});
  }
}

void Faults::at(const std::string& path, const std::string& message, const std::string& help) {
  bad_.insert(path);
  list.error(find(path, false), message, help);
}

void Faults::at_key(const std::string& path, const std::string& message, const std::string& help) {
  bad_.insert(path);
  list.error(find(path, true), message, help);
}

void Faults::refuse(const std::string& path, const std::string& code, const Error& fault) {
  bad_.insert(path);
  list.add({find(path, true), fault.what(), fault.hint(), {}, false, code});
}

void Faults::clash(const std::string& path, const std::string& message, const std::string& other,
                   const std::string& note, const std::string& help) {
  bad_.insert(path);
  list.add({find(path, false), message, help, {{find(other, false), note}}, false});
}

void Faults::warn(const std::string& path, const std::string& message, const std::string& help) {
  list.warning(find(path, false), message, help);
}

bool Faults::has_inside(const std::string& path) const {
  const auto next = places_.lower_bound(path + ".");
  return next != places_.end() && next->first.starts_with(path + ".");
}

bool Faults::is_bad(const std::string& path) const {
  for (const std::string& bad : bad_) {
    const std::string& shorter = bad.size() < path.size() ? bad : path;
    const std::string& longer = bad.size() < path.size() ? path : bad;
    const bool is_prefix = longer.starts_with(shorter);
    if (is_prefix && (longer.size() == shorter.size() || longer[shorter.size()] == '.')) return true;
  }
  return false;
}

}  // namespace dlrun::document
