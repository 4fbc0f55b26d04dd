// SPDX-License-Identifier: Apache-2.0
#include "executor/remote_door.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "util/version.hpp"

namespace dlrun::executor {

namespace {

constexpr std::chrono::seconds kBetweenLines{60};  ///< lines about strangers: a port scanner fills no log
constexpr rlim_t kMostDescriptors = 65'536;
constexpr rlim_t kMostStrangers = 1024;  ///< a whole cluster comes at once: each takes some 50 KB until it is known

/// Raises the soft limit of descriptors, of which each worker takes one. @return the limit
rlim_t allow_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMostDescriptors));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// Places for strangers, who must not take the descriptors that workers and files need.
std::size_t places_for_strangers() { return std::clamp<rlim_t>(allow_descriptors() / 4, 64, kMostStrangers); }

}  // namespace

RemoteDoor::RemoteDoor(boost::asio::io_context& loop, const NetworkOptions& options, Listener::Callbacks callbacks)
    : options_(options),
      tls_(protocol::Side::driver, protocol::keep_secret(options.key)),
      acceptor_(listen_on(loop, options.address)),
      reach_{addresses_of(acceptor_), port_of(acceptor_)},
      listener_(std::move(acceptor_), counting(std::move(callbacks)), Listener::Network{tls_, places_for_strangers()}) {
}

Listener::Callbacks RemoteDoor::counting(Listener::Callbacks callbacks) {
  callbacks.refused = [this](const std::string& who, const std::string& reason) {
    const int before = refused_ ? refused_->count : 0;
    refused_ = StrangerRefused{who, reason.empty() ? "it went without a word" : reason, before + 1};
  };
  return callbacks;
}

std::string RemoteDoor::fault_of(const protocol::Hello& hello) const {
  if (hello.role != "worker") return "commands are taken on the driver's own machine only";
  if (hello.version != version()) return fmt::format("worker {} does not fit driver {}", hello.version, version());
  if (hello.session.empty()) return "a worker that joins names its session";
  if (hello.is_apart || hello.token == options_.token) return {};
  return fmt::format(
      "on {} the store '{}' of this driver is not seen, or another one: both machines need it at the "
      "same path, by a shared file system, or this worker a folder of its own, by --scratch DIR",
      hello.host, options_.store);
}

std::optional<StrangerRefused> RemoteDoor::take_refused() {
  if (!refused_) return std::nullopt;
  const auto now = Clock::now();
  if (told_ && now - *told_ < kBetweenLines) return std::nullopt;
  told_ = now;
  return std::exchange(refused_, std::nullopt);
}

}  // namespace dlrun::executor
