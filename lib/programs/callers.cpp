// SPDX-License-Identifier: Apache-2.0
#include "programs/callers.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::programs {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw Error(ErrorKind::outside, what + " '" + path + "': " + std::generic_category().message(errno));
}

/// Names of the abstract namespace are no files: nothing is left of them.
struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

Address address_of(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.name.sun_path) {
    errno = ENAMETOOLONG;
    fail("cannot use the socket", name);
  }
  std::memcpy(address.name.sun_path + 1, name.data(), name.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Descriptor new_socket() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

/// Credentials of the process at the other end; nullopt: not known.
std::optional<ucred> peer_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  const bool is_known = ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  return is_known ? std::optional(who) : std::nullopt;
}

bool is_of_our_user(const Descriptor& socket) {
  const auto peer = peer_of(socket.fd());
  return peer && peer->uid == ::geteuid();
}

/// The kernel chooses a name that nobody has.
Descriptor open_door() {
  Descriptor door = new_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_open = door.is_open() &&
                       ::bind(door.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)) == 0 &&
                       ::listen(door.fd(), 16) == 0;
  if (!is_open) fail("cannot make a socket", "of a program");
  return door;
}

std::string name_of(const Descriptor& door) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (::getsockname(door.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    fail("cannot name a socket", "of a program");
  return std::string(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
}

}  // namespace

Callers::Callers(Channel owner) : owner_(std::move(owner)), door_(open_door()), name_(name_of(door_)) {}

void Callers::change_door() {
  door_.close();  // the new one may need its descriptor
  name_.clear();
  try {
    door_ = open_door();
    name_ = name_of(door_);
  } catch (const Error&) {
    door_.close();
  }
}

std::array<pollfd, 2> Callers::watch() const {
  const int second = guest_ ? guest_->fd() : door_.fd();
  return {{{owner_.fd(), POLLIN, 0}, {second, POLLIN, 0}}};
}

bool Callers::read() {
  if (!take_what_came()) return false;
  if (!guest_) send_guest_away();
  while (auto line = owner_.next()) asked_.push_back({Caller::owner, std::move(*line)});
  while (auto line = guest_ ? guest_->next() : std::nullopt) asked_.push_back({Caller::guest, std::move(*line)});
  return true;
}

void Callers::send_guest_away() {
  guest_.reset();
  std::erase_if(asked_, [](const Said& said) { return said.who == Caller::guest; });
}

bool Callers::take_what_came() {
  auto items = watch();
  ::poll(items.data(), items.size(), 0);
  if (items[0].revents != 0 && !owner_.read()) return false;
  if (items[1].revents == 0) return true;
  if (!guest_) {
    welcome();
  } else if (!guest_->read()) {
    guest_.reset();
  }
  return true;
}

/// Whoever cannot be let in, for want of descriptors or memory, is sent away: a queue that is not served keeps the door
/// readable for ever.
void Callers::welcome() {
  Descriptor guest(::accept4(door_.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!guest.is_open() && is_of_machine(errno)) change_door();
  if (guest.is_open() && is_of_our_user(guest)) guest_.emplace(std::move(guest));
}

std::optional<Callers::Said> Callers::next(const std::function<bool(const std::string& line)>& can_be_answered) {
  const auto found =
      std::find_if(asked_.begin(), asked_.end(), [&](const Said& said) { return can_be_answered(said.line); });
  if (found == asked_.end()) return std::nullopt;
  Said said = std::move(*found);
  asked_.erase(found);
  return said;
}

void Callers::say(Caller to, std::string_view line) {
  if (to == Caller::owner) return owner_.say(line);
  if (guest_) guest_->say(line);
}

pid_t Callers::process(Caller who) const {
  if (who == Caller::guest && !guest_) return -1;
  const auto peer = peer_of(who == Caller::owner ? owner_.fd() : guest_->fd());
  return peer ? peer->pid : -1;
}

Channel visit(const std::string& socket) {
  Descriptor end = new_socket();
  const Address address = address_of(socket);
  if (!end.is_open() || ::connect(end.fd(), address.get(), address.size) != 0) fail("no program waits at", socket);
  return Channel(std::move(end));
}

}  // namespace dlrun::programs
