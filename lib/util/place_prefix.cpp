// SPDX-License-Identifier: Apache-2.0
#include "util/place_prefix.hpp"

#include <string_view>

namespace dlrun {

std::string place_prefix(const Error& fault) {
  const bool is_named = std::string_view(fault.what()).find(fault.place()) != std::string_view::npos;
  return is_named ? "" : fault.place() + ": ";
}

}  // namespace dlrun
