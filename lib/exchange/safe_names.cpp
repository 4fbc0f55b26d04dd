// SPDX-License-Identifier: Apache-2.0
#include "exchange/safe_names.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <set>

#include "util/sha256.hpp"
#include "util/utf8.hpp"

namespace dlrun::exchange {

namespace {

constexpr std::size_t kMostBytes = 150;  ///< most of a name: file systems take 255 bytes, MLflow 250 characters

bool is_letter_or_digit(std::uint32_t code) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND: return true;
    default: return false;
  }
}

bool is_accepted(std::uint32_t code) {
  if (code < 0x80 && std::string_view("_-.:/ ").find(char(code)) != std::string_view::npos) return true;
  return is_letter_or_digit(code);
}

/// Accepted characters alone, so many that a file may have that name.
std::string accepted_part(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    const Character character = first_character(std::string_view(name).substr(i));
    const bool is_kept = character.is_valid && is_accepted(character.code);
    const std::string_view part = is_kept ? std::string_view(name).substr(i, character.bytes) : "_";
    if (out.size() + part.size() > kMostBytes) return out;
    out += part;
    i += character.bytes;
  }
  return out;
}

/// MLflow refuses every name that begins with two dots.
bool is_plain_path(const std::string& name) {
  if (name.starts_with("..")) return false;
  for (std::size_t first = 0; first <= name.size();) {
    const std::size_t past = std::min(name.find('/', first), name.size());
    const std::string part = name.substr(first, past - first);
    if (part.empty() || part == "." || part == "..") return false;
    first = past + 1;
  }
  return true;
}

/// Names that are taken, and the folders that they lie in.
class Taken {
 public:
  bool fits(const std::string& name) const {
    if (!is_plain_path(name) || files_.count(name) > 0 || folders_.count(name) > 0) return false;
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      if (files_.count(name.substr(0, at)) > 0) return false;
    }
    return true;
  }

  void mark_taken(const std::string& name) {
    files_.insert(name);
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
      folders_.insert(name.substr(0, at));
  }

 private:
  std::set<std::string> files_, folders_;
};

bool is_safe(const std::string& name, const Taken& taken) { return accepted_part(name) == name && taken.fits(name); }

std::string new_name(const std::string& name, const Taken& taken) {
  std::string part = accepted_part(name);
  std::replace(part.begin(), part.end(), '/', '_');
  for (std::size_t i = 0; i < part.size() && part[i] == '.'; ++i) part[i] = '_';
  const bool is_cut = name.size() > kMostBytes;
  if (!is_cut && taken.fits(part)) return part;
  const std::string digits = Sha256::hex_of(name);
  std::size_t count = 8;
  while (!taken.fits(part + "-" + digits.substr(0, count))) ++count;
  return part + "-" + digits.substr(0, count);
}

}  // namespace

SafeNames::SafeNames(const std::vector<std::string>& names) {
  const std::set<std::string> order(names.begin(), names.end());
  Taken taken;
  const auto add = [&](const std::string& name, const std::string& safe) {
    taken.mark_taken(safe);
    map_[name] = safe;
  };
  for (const std::string& name : order) {
    if (is_safe(name, taken)) add(name, name);
  }
  for (const std::string& name : order) {
    if (map_.count(name) == 0) add(name, new_name(name, taken));
  }
}

std::vector<std::pair<std::string, std::string>> SafeNames::renamed() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, safe] : map_) {
    if (name != safe) out.emplace_back(name, safe);
  }
  return out;
}

}  // namespace dlrun::exchange
