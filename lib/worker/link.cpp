// SPDX-License-Identifier: Apache-2.0
#include "worker/link.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

#include "util/error.hpp"
#include "util/version.hpp"

namespace dlrun::worker {

namespace {

constexpr int kTickMilliseconds = 100;
constexpr int kWelcomeMilliseconds = 30000;
constexpr std::size_t kMostSteps = 1000;  ///< reports of steps in a message: below 1 MiB with twenty metrics each

std::string system_message() { return std::generic_category().message(errno); }

std::function<void()>& clean_up() {
  static std::function<void()> function;
  return function;
}

[[noreturn]] void end_suddenly(int code) {
  if (clean_up()) clean_up()();
  ::_exit(code);
}

int connect_to(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw Error(ErrorKind::usage, "the socket path '" + path.string() + "' is longer than 107 bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error(ErrorKind::outside, "cannot reach the driver at '" + path.string() + "': " + system_message());
  }
  return fd;
}

/// The signals that ask for an end are read by the serving thread; blocked before any other thread is made.
int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Resident set in bytes; 0 where unknown.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t whole = 0, resident = 0;
  return file >> whole >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

bool wait_readable(int fd, int milliseconds) {
  pollfd item{fd, POLLIN, 0};
  return ::poll(&item, 1, milliseconds) > 0;
}

}  // namespace

void Link::at_sudden_end(std::function<void()> clean_up_now) { clean_up() = std::move(clean_up_now); }

Link::Link(const Options& options) : socket_(connect_to(options.socket)), signals_(blocked_signals()) {
  greet(options);
  last_heartbeat_ = Clock::now();
  server_ = std::thread([this] { serve(); });
}

Link::~Link() {
  is_closing_ = true;
  ::shutdown(socket_, SHUT_RDWR);
  if (server_.joinable()) server_.join();
  ::close(socket_);
  ::close(signals_);
}

void Link::greet(const Options& options) {
  protocol::Hello hello{.version = version(), .role = "worker", .worker = options.worker, .pid = ::getpid()};
  hello.host = host_name();
  write(protocol::encode(hello));
  protocol::Message reply = receive_one();
  if (const auto* refused = std::get_if<protocol::Refused>(&reply)) {
    throw Error(ErrorKind::usage, "the driver refused this worker: " + refused->reason);
  }
  auto* welcome = std::get_if<protocol::Welcome>(&reply);
  if (welcome == nullptr) throw Error(ErrorKind::usage, "the driver answered hello with something else");
  setup_ = std::move(welcome->setup);
  heartbeat_ = welcome->heartbeat;
}

protocol::Message Link::receive_one() {
  const auto deadline = Clock::now() + std::chrono::milliseconds(kWelcomeMilliseconds);
  for (;;) {
    if (auto message = decoder_.next()) return std::move(*message);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || !wait_readable(socket_, static_cast<int>(left))) {
      throw Error(ErrorKind::outside, "the driver did not answer hello within 30 seconds");
    }
    if (!read_messages()) throw Error(ErrorKind::outside, "the driver closed the connection instead of a welcome");
  }
}

std::optional<trial::PieceOrder> Link::next() {
  std::unique_lock lock(mutex_);
  current_.reset();
  changed_.wait(lock, [&] { return !orders_.empty() || shutdown_at_; });
  if (shutdown_at_) return std::nullopt;
  trial::PieceOrder order = std::move(orders_.front());
  orders_.pop_front();
  current_.emplace(order.key, order.attempt);
  begun_ = Clock::now();
  stop_ = abandoned_.erase(*current_) > 0 ? StopReason::abandoned : StopReason::none;
  return order;
}

void Link::report(const trial::Report& report) {
  const std::lock_guard lock(mutex_);
  telemetry_.push_back(report);
}

void Link::step_report(const trial::Report& report) {
  const std::lock_guard lock(mutex_);
  curves_.push_back(report);
  if (curves_.size() >= kMostSteps) write(take_curves());
}

void Link::send(trial::Runtime runtime) { write(protocol::encode(protocol::Prepared{std::move(runtime)})); }

void Link::send(const trial::PieceResult& result) {
  {
    const std::lock_guard lock(mutex_);
    telemetry_.clear();  // the result has it all
    write(take_curves());
    unacknowledged_.emplace(result.key, result.attempt);
  }
  std::string frame;
  try {
    frame = protocol::encode(protocol::Result{result});
  } catch (const Error& fault) {
    trial::PieceResult failed{.key = result.key, .attempt = result.attempt, .outcome = trial::Outcome::failed};
    failed.cause = trial::Cause::exception;
    failed.message = std::string("too much was reported: ") + fault.what();
    frame = protocol::encode(protocol::Result{failed});
  }
  write(frame);
}

void Link::wait_for_acks() {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, shutdown_at_.value_or(Clock::now()), [&] { return unacknowledged_.empty(); });
}

/// Orders may have come with the welcome, so what is there is taken before anything is waited for.
void Link::serve() {
  pollfd items[] = {{socket_, POLLIN, 0}, {signals_, POLLIN, 0}};
  while (!is_closing_) {
    if (items[1].revents != 0) end_suddenly(128 + SIGTERM);
    try {
      if (items[0].revents != 0 && !read_messages()) end_suddenly(0);
      take_all();
      look_at_clock();
    } catch (const Error& fault) {
      std::fprintf(stderr, "dlrun-worker: %s\n", fault.what());
      end_suddenly(70);
    }
    if (::poll(items, 2, kTickMilliseconds) <= 0) items[0].revents = items[1].revents = 0;
  }
}

/// False: the driver is gone.
bool Link::read_messages() {
  char buffer[65536];
  const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) return is_closing_;
  decoder_.add({buffer, static_cast<std::size_t>(got)});
  return true;
}

/// Decodes without the lock, for the main thread is waiting for it between two short pieces.
void Link::take_all() {
  std::vector<protocol::Message> messages;
  while (auto message = decoder_.next()) messages.push_back(std::move(*message));
  if (messages.empty()) return;
  const std::lock_guard lock(mutex_);
  for (protocol::Message& message : messages) take(std::move(message));
  changed_.notify_all();
}

void Link::take(protocol::Message message) {
  if (auto* assign = std::get_if<protocol::Assign>(&message)) {
    orders_.push_back(std::move(assign->order));
  } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    unacknowledged_.erase({ack->key, ack->attempt});
  } else if (const auto* fenced = std::get_if<protocol::Fenced>(&message)) {
    unacknowledged_.erase({fenced->key, fenced->attempt});
  } else if (const auto* abandon = std::get_if<protocol::Abandon>(&message)) {
    take_abandon({abandon->key, abandon->attempt});
  } else if (const auto* shutdown = std::get_if<protocol::Shutdown>(&message)) {
    shutdown_at_ = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(shutdown->grace * 1000));
    stop_ = StopReason::shutdown;
  } else {
    throw Error(ErrorKind::usage, "the driver sent a message that is not for workers");
  }
}

void Link::take_abandon(const Attempt& attempt) {
  if (current_ == attempt) {
    if (stop_ == StopReason::none) stop_ = StopReason::abandoned;
    return;
  }
  for (const trial::PieceOrder& order : orders_) {
    if (Attempt(order.key, order.attempt) == attempt) abandoned_.insert(attempt);
  }
}

void Link::look_at_clock() {
  send_telemetry();
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - last_heartbeat_).count() >= heartbeat_) {
    last_heartbeat_ = now;
    write(protocol::encode(protocol::Heartbeat{steps_.load(std::memory_order_relaxed), resident_bytes()}));
  }
  const std::lock_guard lock(mutex_);
  if (shutdown_at_ && now >= *shutdown_at_) end_suddenly(0);
  const bool is_late =
      current_ && setup_.time_limit > 0 && std::chrono::duration<double>(now - begun_).count() > setup_.time_limit;
  if (is_late && stop_ == StopReason::none) stop_ = StopReason::timeout;
}

void Link::send_telemetry() {
  std::string frames;
  const std::lock_guard lock(mutex_);
  if (current_) {
    for (const trial::Report& report : telemetry_) {
      frames += protocol::encode(protocol::Reported{current_->first, current_->second, report});
    }
  }
  telemetry_.clear();
  write(frames + take_curves());
}

/// What is there as a frame; empty where there is nothing. REQUIRES: mutex_ is held.
std::string Link::take_curves() {
  if (curves_.empty() || !current_) return {};
  return protocol::encode(protocol::Watched{current_->first, current_->second, std::exchange(curves_, {})});
}

void Link::write(std::string_view bytes) {
  const std::lock_guard lock(write_mutex_);
  while (!bytes.empty()) {
    const ssize_t done = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) end_suddenly(0);  // the driver is gone
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

}  // namespace dlrun::worker
