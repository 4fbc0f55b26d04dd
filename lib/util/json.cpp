// SPDX-License-Identifier: Apache-2.0
#include "util/json.hpp"

#include "util/error.hpp"

namespace dlrun {

namespace {
constexpr int kMaxDepth = 64;
}

std::string to_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parse_json(std::string_view text, const std::string& what) {
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw Error(ErrorKind::usage, what + " nests deeper than 64");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), guard);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, what + " is no valid JSON: " + fault.what());
  }
}

}  // namespace dlrun
