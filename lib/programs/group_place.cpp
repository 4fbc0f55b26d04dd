// SPDX-License-Identifier: Apache-2.0
#include "programs/group_place.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::programs {

std::string text_of(const GroupPlace& place) {
  return to_text(Json{{"port", place.port},
                      {"token", place.token},
                      {"leader", place.leader},
                      {"folder", place.folder},
                      {"nodes", place.nodes},
                      {"gpus", place.gpus}});
}

GroupPlace group_place(const std::string& text) {
  const Json json = parse_json(text, kGroupVariable);
  return {json.at("port"), json.at("token"), json.at("leader"), json.at("folder"), json.at("nodes"), json.at("gpus")};
}

std::string new_token() {
  std::array<unsigned char, kTokenLength / 2> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw Error(ErrorKind::outside, "the system gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace dlrun::programs
