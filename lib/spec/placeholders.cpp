// SPDX-License-Identifier: Apache-2.0
#include "spec/placeholders.hpp"

namespace dlrun::spec {

std::vector<Placeholder> placeholders_in(const std::string& text) {
  std::vector<Placeholder> found;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    if (text.substr(at, 2) == "{{") {
      at += 2;
      continue;
    }
    const bool is_all = at > 0 && text.substr(at - 1, 7) == "${args}";
    const std::size_t end = text.find('}', at);
    const bool is_closed = end != std::string::npos;
    if (!is_all) {
      found.push_back(
          {text.substr(at, is_closed ? end - at + 1 : end), is_closed ? text.substr(at + 1, end - at - 1) : ""});
    }
    at = end;
  }
  return found;
}

}  // namespace dlrun::spec
