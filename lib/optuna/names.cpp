// SPDX-License-Identifier: Apache-2.0
#include "optuna/names.hpp"

#include <cctype>

namespace dlrun::optuna {

namespace {

constexpr std::size_t kRoom = 8;  ///< characters kept for a number

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string cleaned(const std::string& name, const std::string& more) {
  std::string out;
  for (const char c : name) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;  // a further byte of one character
    const bool is_good =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || (c != '\0' && ("_.-" + more).find(c) != std::string::npos);
    if (!continues) out += is_good ? c : '_';
  }
  if (out.empty() || !is_letter(out[0])) out.insert(0, "x");
  return out.substr(0, kLongestName - kRoom);
}

}  // namespace

std::string own_name(const std::string& name, std::set<std::string>& taken, const std::string& more) {
  const std::string base = cleaned(name, more);
  std::string found = base;
  for (int i = 2; !taken.insert(found).second; ++i) found = base + "_" + std::to_string(i);
  return found;
}

}  // namespace dlrun::optuna
