// SPDX-License-Identifier: Apache-2.0
// Facts that a worker on another machine needs to join: the file studies/NAME.endpoint that a driver writes.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::protocol {

/// Part of the format; nothing in it is secret, the key is named by its path.
struct Rendezvous {
  std::string study;
  std::vector<std::string> addresses;  ///< addresses of the driver's machine, in the order to try
  int port = 0;
  std::string key;    ///< file of the study's key
  std::string file;   ///< path of this file for the driver: workers that read the same token there see its store
  std::string token;  ///< random, of this driver
  int protocol = 0;
  std::string version;  ///< version of the driver's program
};

Json to_json(const Rendezvous& rendezvous);

/// @throws Error(outside) where there is no such file (yet, or any more), Error(usage) where it does not name where a
/// driver listens.
Rendezvous read_rendezvous(const std::filesystem::path& file);

/// The token in the file that the driver wrote, as it is seen here; empty where it cannot be seen.
std::string seen_token(const Rendezvous& rendezvous);

/// 128 bits in hexadecimal, from the kernel: tells drivers and workers apart, decides nothing.
std::string random_token();

}  // namespace dlrun::protocol
