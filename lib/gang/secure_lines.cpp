// SPDX-License-Identifier: Apache-2.0
#include "gang/secure_lines.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr std::size_t kRecordHead = 5;  ///< type, version, length (RFC 8446, 5.1)
constexpr timeval kSendDeadline{5, 0};

using Clock = std::chrono::steady_clock;

[[noreturn]] void lose() { throw Error(ErrorKind::outside, "the connection broke"); }

}  // namespace

SecureLines::SecureLines(Descriptor socket, std::shared_ptr<const protocol::TlsContext> context) {
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &kSendDeadline, sizeof kSendDeadline);
  link_.is_local = false;
  link_.socket = std::move(socket);
  link_.tls = std::make_unique<protocol::TlsChannel>(*context);
  link_.context = std::move(context);
  write_out();
}

/// Bytes of the record under way that are missing, as far as its head says.
std::size_t SecureLines::wanted() const {
  if (record_.size() < kRecordHead) return kRecordHead - record_.size();
  const std::size_t body = std::size_t((unsigned char)record_[3]) << 8 | (unsigned char)record_[4];
  return kRecordHead + body - record_.size();
}

bool SecureLines::read() {
  std::array<char, 4096> bytes{};
  do {
    const ssize_t got = ::recv(fd(), bytes.data(), std::min(wanted(), bytes.size()), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) return false;
    record_.append(bytes.data(), std::size_t(got));
    if (!link_.tls->is_established() && record_.size() > protocol::TlsChannel::kMaxHandshake) return false;
  } while (wanted() > 0);
  text_ += link_.tls->receive(record_);
  record_.clear();
  write_out();
  return true;
}

std::optional<std::string> SecureLines::next() {
  const std::size_t end = text_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return line;
}

std::string SecureLines::await(std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  for (;;) {
    if (auto line = next()) return std::move(*line);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd item{fd(), POLLIN, 0};
    if (left.count() <= 0 || (::poll(&item, 1, int(left.count())) == 0))
      throw Error(ErrorKind::outside, "no answer in time");
    if (!read()) throw Error(ErrorKind::outside, "it hangs up: it has another key, or is no rank of this training");
  }
}

void SecureLines::say(const std::string& line) {
  link_.tls->send(line + '\n');
  write_out();
}

void SecureLines::write_out() {
  const std::string bytes = link_.tls->take_output();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(fd(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) lose();
    done += std::size_t(sent);
  }
}

Link SecureLines::leave(bool is_encrypted) && {
  if (!record_.empty() || !text_.empty()) throw Error(ErrorKind::internal, "a rank said more than it was asked");
  if (!is_encrypted) link_.tls.reset();
  return std::move(link_);
}

}  // namespace dlrun::gang
