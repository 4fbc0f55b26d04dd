// SPDX-License-Identifier: Apache-2.0
#include "gang/meeting.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "util/error.hpp"

namespace dlrun::gang {

int Meeting::hosts_in_use() const { return hosts.empty() ? 0 : 1 + *std::max_element(hosts.begin(), hosts.end()); }

int Meeting::first_of(int host) const { return int(std::find(hosts.begin(), hosts.end(), host) - hosts.begin()); }

std::vector<int> hosts_of(int ranks, int servers, int hosts) {
  const int used = std::min(ranks, hosts);  // each has a rank
  std::vector<int> all;
  for (int i = 0; i < ranks; ++i) all.push_back(i * used / ranks);
  for (int i = 0; i < servers; ++i) all.push_back(i * used / servers);
  return all;
}

Json to_json(const Meeting& meeting) {
  return {{"hosts", meeting.hosts}, {"address", meeting.address}, {"port", meeting.port},
          {"key", meeting.key},     {"token", meeting.token},     {"is_encrypted", meeting.is_encrypted}};
}

Meeting found_meeting() {
  const char* text = std::getenv(kMeetingVariable);
  if (text == nullptr) throw Error(ErrorKind::usage, "--gang is for processes that a worker starts");
  const Json json = parse_json(text, kMeetingVariable);
  try {
    Meeting meeting{json.at("hosts"), json.at("address"), json.at("port"), json.at("key"), json.at("token")};
    meeting.is_encrypted = json.at("is_encrypted").get<bool>();
    return meeting;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string(kMeetingVariable) + " is not what a worker sets: " + fault.what());
  }
}

std::vector<std::string> environment_with(const Meeting& meeting) {
  const std::string own = std::string(kMeetingVariable) + "=";
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with(own)) all.emplace_back(*entry);
  }
  all.push_back(own + to_json(meeting).dump());
  return all;
}

}  // namespace dlrun::gang
