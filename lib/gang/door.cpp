// SPDX-License-Identifier: Apache-2.0
#include "gang/door.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "util/error.hpp"
#include "util/json.hpp"
#include "util/network.hpp"
#include "util/ports.hpp"

namespace dlrun::gang {

namespace {

constexpr std::size_t kMostStrangers = 64;
constexpr std::chrono::seconds kPatience{5};  ///< with a stranger

std::string address_of(const Descriptor& socket) {
  SocketAddress address;
  address.size = sizeof address.bytes;
  ::getpeername(socket.fd(), address.get(), &address.size);
  return numeric(address).host;
}

Greeting greeting(const std::string& text) {
  const Json json = parse_json(text, "greeting");
  return {json.at("token"), json.at("process"), json.at("port"), json.at("host")};
}

}  // namespace

std::string text_of(const Greeting& greeting) {
  return Json{
      {"token", greeting.token}, {"process", greeting.process}, {"port", greeting.port}, {"host", greeting.host}}
      .dump();
}

Door::Door(std::shared_ptr<const protocol::TlsContext> context, std::string token)
    : context_(std::move(context)), token_(std::move(token)), listener_(listen_anywhere(port_)) {}

std::optional<Visitor> Door::next(std::chrono::milliseconds most) {
  for (const auto until = Clock::now() + most; visitors_.empty() && Clock::now() < until;) wait(until);
  if (visitors_.empty()) return std::nullopt;
  Visitor first = std::move(visitors_.front());
  visitors_.pop_front();
  return first;
}

void Door::wait(Clock::time_point until) {
  std::vector<pollfd> items{{listener_.fd(), POLLIN, 0}};
  for (const Stranger& stranger : strangers_) {
    items.push_back({stranger.lines.fd(), POLLIN, 0});
    until = std::min(until, stranger.until);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(items.data(), items.size(), int(std::max<std::int64_t>(0, left)));
  for (std::size_t i = strangers_.size(); i > 0; --i) {
    if (items[i].revents != 0) hear(i - 1);
  }
  std::erase_if(strangers_, [](const Stranger& stranger) { return Clock::now() >= stranger.until; });
  if (items[0].revents != 0) accept();
}

void Door::accept() {
  Descriptor socket = accept_from(listener_);
  if (!socket.is_open()) return;
  if (strangers_.size() == kMostStrangers) strangers_.pop_front();
  std::string address = address_of(socket);
  strangers_.push_back({SecureLines(std::move(socket), context_), std::move(address), Clock::now() + kPatience});
}

/// Whoever says something wrong is sent away without a word.
void Door::hear(std::size_t index) {
  Stranger& stranger = strangers_[index];
  bool stays = false;
  try {
    stays = stranger.lines.read();
    if (auto visitor = admitted(stranger)) {
      visitors_.push_back(std::move(*visitor));
      stays = false;
    }
  } catch (const Error&) {
    stays = false;
  } catch (const Json::exception&) {
    stays = false;
  }
  if (!stays) strangers_.erase(strangers_.begin() + std::ptrdiff_t(index));
}

std::optional<Visitor> Door::admitted(Stranger& stranger) const {
  const auto line = stranger.lines.next();
  if (!line) return std::nullopt;
  const Greeting words = greeting(*line);
  if (words.token != token_) throw Error(ErrorKind::outside, "a process of another gang");
  return Visitor{words.process, words.port, stranger.address, words.host, std::move(stranger.lines)};
}

}  // namespace dlrun::gang
