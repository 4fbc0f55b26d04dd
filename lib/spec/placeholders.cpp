// SPDX-License-Identifier: Apache-2.0
#include "spec/placeholders.hpp"

namespace dlrun::spec {

std::vector<Placeholder> placeholders_in(const std::string& text, bool is_script) {
  std::vector<Placeholder> found;
  if (!is_script && text == "${args}") return found;
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    if (text.substr(at, 2) == "{{") {
      at += 2;
      continue;
    }
    if (is_script && at > 0 && text[at - 1] == '$') {
      ++at;
      continue;
    }
    const std::size_t end = text.find('}', at);
    const bool is_closed = end != std::string::npos;
    found.push_back(
        {text.substr(at, is_closed ? end - at + 1 : end), is_closed ? text.substr(at + 1, end - at - 1) : ""});
    at = end;
  }
  return found;
}

}  // namespace dlrun::spec
