// SPDX-License-Identifier: Apache-2.0
// Where a running driver can be asked: studies/<name>.endpoint, readable by its user only.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace dlrun::driver {

/// Written when the driver listens, removed when it ends; a driver that was killed leaves a stale one, behind which
/// nobody answers.
class Endpoint {
 public:
  Endpoint(const std::filesystem::path& store, const std::string& study, const std::string& socket);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

 private:
  std::filesystem::path file_;
};

/// The socket of the last driver; nullopt: there is no such file, or nothing sensible in it.
std::optional<std::string> find_endpoint(const std::filesystem::path& store, const std::string& study);

}  // namespace dlrun::driver
