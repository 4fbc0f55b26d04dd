// SPDX-License-Identifier: Apache-2.0
#include "worker/connection.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "util/error.hpp"
#include "util/version.hpp"

namespace dlrun::worker {

namespace {

constexpr std::chrono::seconds kWelcomeDeadline{30};

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

bool is_readable_within(int fd, std::chrono::steady_clock::duration left) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
  pollfd item{fd, POLLIN, 0};
  return milliseconds > 0 && ::poll(&item, 1, static_cast<int>(milliseconds)) > 0;
}

void require_same_version(const protocol::Rendezvous& place) {
  if (place.protocol == protocol::kProtocolVersion && place.version == version()) return;
  throw Error(ErrorKind::usage,
              fmt::format("the driver is dlrun {} (protocol {}), this worker {} (protocol {})", place.version,
                          place.protocol, version(), protocol::kProtocolVersion),
              "run the same build on both machines");
}

}  // namespace

Connection::Connection(const Options& options)
    : options_(options), session_(options.has_joined() ? protocol::random_token() : std::string()) {}

protocol::Welcome Connection::open(std::vector<protocol::Held> holds) {
  std::shared_ptr<Wire> wire = connect();
  protocol::Welcome welcome = greet(*wire, std::move(holds));
  const std::lock_guard lock(mutex_);
  wire_ = std::move(wire);
  is_broken_ = false;
  return welcome;
}

std::unique_ptr<Wire> Connection::connect() {
  if (!options_.has_joined()) return Wire::to_socket(options_.socket);
  protocol::Rendezvous place = protocol::read_rendezvous(options_.endpoint);
  require_same_version(place);
  const std::filesystem::path beside = options_.endpoint.parent_path() / std::filesystem::path(place.key).filename();
  std::error_code none;
  if (std::filesystem::exists(beside, none)) place.key = beside.string();
  key_ = place.key;
  if (!options_.is_apart()) token_ = protocol::seen_token(place);
  return Wire::to_driver(place);
}

protocol::Welcome Connection::greet(Wire& wire, std::vector<protocol::Held> holds) {
  decoder_ = protocol::Decoder();
  protocol::Hello hello{.version = version(), .role = "worker", .worker = options_.worker, .pid = ::getpid()};
  hello.host = options_.host.empty() ? host_name() : options_.host;
  hello.session = session_;
  hello.job = options_.job;
  hello.token = token_;
  hello.is_apart = options_.is_apart();
  hello.holds = std::move(holds);
  wire.write(protocol::encode(hello));
  protocol::Message reply = receive_one(wire);
  if (const auto* refused = std::get_if<protocol::Refused>(&reply)) {
    throw Error(ErrorKind::usage, "the driver refused this worker: " + refused->reason);
  }
  auto* welcome = std::get_if<protocol::Welcome>(&reply);
  if (welcome == nullptr) throw Error(ErrorKind::usage, "the driver answered hello with something else");
  return std::move(*welcome);
}

protocol::Message Connection::receive_one(Wire& wire) {
  const auto deadline = std::chrono::steady_clock::now() + kWelcomeDeadline;
  for (;;) {
    if (auto message = decoder_.next()) return std::move(*message);
    if (!is_readable_within(wire.descriptor(), deadline - std::chrono::steady_clock::now())) {
      throw Error(ErrorKind::outside, "the driver did not answer hello within 30 seconds");
    }
    const auto came = wire.receive();
    if (!came) throw Error(ErrorKind::outside, "the driver closed the connection instead of a welcome");
    decoder_.feed(*came);
  }
}

bool Connection::receive() {
  const auto came = wire_->receive();
  if (!came) is_broken_ = true;
  if (came) decoder_.feed(*came);
  return came.has_value();
}

std::vector<protocol::Message> Connection::messages() {
  std::vector<protocol::Message> messages;
  while (auto message = decoder_.next()) messages.push_back(std::move(*message));
  return messages;
}

bool Connection::write(std::string_view frames) {
  if (is_broken_ || frames.empty()) return true;
  std::shared_ptr<Wire> wire;
  {
    const std::lock_guard lock(mutex_);
    wire = wire_;
  }
  if (wire->write(frames)) return true;
  const std::lock_guard lock(mutex_);
  if (wire == wire_) is_broken_ = true;  // else there is another one already
  return false;
}

void Connection::shut_down() {
  const std::lock_guard lock(mutex_);
  wire_->shut_down();
}

}  // namespace dlrun::worker
