// SPDX-License-Identifier: Apache-2.0
// Places of a gang whose processes are threads of the test, with the connections that processes of these hosts have.
#pragma once
#include <thread>
#include <vector>

#include "gang/place.hpp"
#include "gang/rollcall.hpp"
#include "process/ends.hpp"
#include "protocol/secret.hpp"
#include "support/temp_folder.hpp"

namespace gang_test {

using namespace dlrun;
using namespace dlrun::gang;

/// Connections within hosts, [of][to].
inline std::vector<std::vector<Link>> near_links(const Meeting& meeting) {
  std::vector<std::vector<Link>> all(meeting.hosts.size());
  for (auto& own : all) own.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (meeting.hosts[i] != meeting.hosts[j]) continue;
      process::Ends ends = process::socket_pair();
      all[i][j].socket = std::move(ends.ours);
      all[j][i].socket = std::move(ends.theirs);
    }
  }
  return all;
}

inline void add_far(std::vector<Link>& near, std::vector<Link> far) {
  for (std::size_t i = 0; i < far.size(); ++i) {
    if (far[i].is_open()) near[i] = std::move(far[i]);
  }
}

/// A gang's meeting on this machine, with a key.
inline Meeting meeting_of(const std::vector<int>& hosts, const std::filesystem::path& folder) {
  Meeting meeting{hosts, "127.0.0.1"};
  meeting.key = (folder / "key").string();
  meeting.token = "a token";
  protocol::keep_secret(meeting.key);
  return meeting;
}

/// All processes find each other over the loopback.
inline void find_each_other(Meeting& meeting, std::vector<std::vector<Link>>& links) {
  Door door = open_door(meeting);
  meeting.port = door.port();
  std::vector<std::thread> threads;
  for (int i = 1; i < meeting.processes(); ++i)
    threads.emplace_back([&, i] { add_far(links[std::size_t(i)], answer_roll(meeting, i)); });
  add_far(links[0], call_roll(door, meeting, [](int) {}).links);
  for (std::thread& thread : threads) thread.join();
}

inline std::vector<Place> places(const std::vector<int>& hosts, bool is_encrypted = true) {
  const support::TempFolder folder;
  Meeting meeting = meeting_of(hosts, folder.path());
  meeting.is_encrypted = is_encrypted;
  auto links = near_links(meeting);
  if (meeting.is_spread()) find_each_other(meeting, links);
  std::vector<Descriptor> memories;
  for (int i = 0; i < meeting.hosts_in_use(); ++i) memories.push_back(SharedMemory::make(meeting.processes()));
  std::vector<Place> all;
  for (int i = 0; i < meeting.processes(); ++i) {
    const SharedMemory memory(memories[std::size_t(meeting.host(i))], meeting.processes());
    all.emplace_back(i, std::move(links[std::size_t(i)]), memory, meeting.host(i) == 0);
  }
  return all;
}

}  // namespace gang_test
