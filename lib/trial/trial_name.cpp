// SPDX-License-Identifier: Apache-2.0
#include "trial/trial_name.hpp"

#include <charconv>

namespace dlrun::trial {

std::optional<TrialName> trial_name(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  std::int64_t number = -1;
  const auto [end, fault] = std::from_chars(text.data() + slash + 1, text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return TrialName{text.substr(0, slash), TrialId(number)};
}

}  // namespace dlrun::trial
