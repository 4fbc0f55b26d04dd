// SPDX-License-Identifier: Apache-2.0
// Where a running driver can be asked, and where workers of other machines can join it: studies/<name>.endpoint,
// readable by its user only.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "executor/hub.hpp"

namespace dlrun::driver {

/// studies/<name>.endpoint
std::filesystem::path endpoint_file(const std::filesystem::path& store, const std::string& study);

/// How a driver is to listen for other machines: with the study's key, letting in who sees this store.
executor::NetworkOptions network_options(const std::filesystem::path& store, const std::string& study,
                                         const HostPort& address);

/// File with a driver's addresses: written when the driver listens and removed when it ends, unless another driver's
/// file stands there by then. A driver that was killed leaves a stale file, behind which nobody answers.
class Endpoint {
 public:
  /// Writes the file. @throws Error(outside) if it cannot be written.
  /// @param token  as in network_options(); empty: the driver does not listen for other machines
  Endpoint(const std::filesystem::path& store, const std::string& study, const executor::Hub& hub,
           const std::string& token);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

 private:
  std::filesystem::path file_;
  std::string text_;
};

/// Socket of the last driver; nullopt: there is no such file, or it holds nothing sensible.
std::optional<std::string> find_endpoint(const std::filesystem::path& store, const std::string& study);

}  // namespace dlrun::driver
