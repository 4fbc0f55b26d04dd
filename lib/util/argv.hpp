// SPDX-License-Identifier: Apache-2.0
// Arguments and environments as exec takes them.
#pragma once
#include <string>
#include <vector>

namespace dlrun {

/// Pointers to the texts, which have to outlive them, and a null behind the last.
inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace dlrun
