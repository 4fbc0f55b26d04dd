// SPDX-License-Identifier: Apache-2.0
#include "scripts.hpp"

namespace dlrun::cli {

std::string dynamic_kind(Kind kind) {
  switch (kind) {
    case Kind::study: return "study";
    case Kind::trial: return "trial";
    case Kind::target: return "target";
    default: return {};
  }
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace dlrun::cli
