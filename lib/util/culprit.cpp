// SPDX-License-Identifier: Apache-2.0
#include "util/culprit.hpp"

#include <fmt/format.h>

#include <string_view>

namespace dlrun {

void ask_culprit() {
  struct sigaction present = {};
  if (::sigaction(kAskCulprit, nullptr, &present) != 0) return;
  if (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN) ::raise(kAskCulprit);
}

std::string culprit_in(const std::string& log) {
  const std::size_t line = log.rfind(kCulprit);
  if (line == std::string::npos) return {};
  const std::size_t begin = line + std::string_view(kCulprit).size(), end = log.find('\'', begin);
  return end == std::string::npos ? "" : fmt::format(" in the code of plugin '{}'", log.substr(begin, end - begin));
}

}  // namespace dlrun
