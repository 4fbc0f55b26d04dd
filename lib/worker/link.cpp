// SPDX-License-Identifier: Apache-2.0
#include "worker/link.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <new>

#include "util/error.hpp"
#include "util/version.hpp"

namespace dlrun::worker {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr int kTickMilliseconds = 100;
constexpr int kWelcomeMilliseconds = 30000;
constexpr int kRetryMilliseconds = 500;            ///< between two tries to come back
constexpr std::chrono::seconds kFarewell{5};       ///< for the driver to hang up on a worker that leaves
constexpr std::chrono::seconds kLeaveGrace{10};    ///< for a piece that is to be saved, after the first signal
constexpr std::chrono::seconds kNoticeGrace{100};  ///< likewise where it is a notice of the end of a job's time
constexpr std::size_t kMostSteps = 1000;  ///< reports of steps in a message: below 1 MiB with twenty metrics each

std::function<void()>& clean_up() {
  static std::function<void()> function;
  return function;
}

[[noreturn]] void end_suddenly(int code) {
  if (clean_up()) clean_up()();
  ::_exit(code);
}

/// The signals that ask for an end are read by the serving thread; blocked before any other thread is made.
int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
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

std::string frame_of(const trial::PieceResult& result) {
  try {
    return protocol::encode(protocol::Result{result});
  } catch (const Error& fault) {
    trial::PieceResult failed{.key = result.key, .attempt = result.attempt, .outcome = trial::Outcome::failed};
    failed.cause = trial::Cause::exception;
    failed.message = std::string("too much was reported: ") + fault.what();
    return protocol::encode(protocol::Result{failed});
  }
}

bool is_of_artifacts(const protocol::Message& message) {
  return std::holds_alternative<protocol::Offer>(message) || std::holds_alternative<protocol::Want>(message) ||
         std::holds_alternative<protocol::Chunk>(message) || std::holds_alternative<protocol::Stored>(message);
}

bool wait_readable(int fd, int milliseconds) {
  pollfd item{fd, POLLIN, 0};
  return ::poll(&item, 1, milliseconds) > 0;
}

}  // namespace

void Link::at_sudden_end(std::function<void()> clean_up_now) { clean_up() = std::move(clean_up_now); }

Link::Link(const Options& options) : options_(options), signals_(blocked_signals()) {
  if (has_joined()) session_ = protocol::random_token();
  wire_ = connect();
  welcome_ = greet(*wire_);
  setup_ = std::move(welcome_.setup);
  last_heartbeat_ = last_heard_ = Clock::now();
  server_ = std::thread([this] { serve(); });
}

Link::~Link() {
  is_closing_ = true;
  {
    const std::lock_guard lock(wire_mutex_);
    wire_->shut_down();
  }
  if (server_.joinable()) server_.join();
  ::close(signals_);
}

std::unique_ptr<Wire> Link::connect() {
  if (!has_joined()) return Wire::to_socket(options_.socket);
  protocol::Rendezvous place = protocol::read_rendezvous(options_.endpoint);
  if (place.protocol != protocol::kProtocolVersion || place.version != version()) {
    throw Error(ErrorKind::usage,
                fmt::format("the driver is dlrun {} (protocol {}), this worker {} (protocol {})", place.version,
                            place.protocol, version(), protocol::kProtocolVersion),
                "run the same build on both machines");
  }
  const std::filesystem::path beside = options_.endpoint.parent_path() / std::filesystem::path(place.key).filename();
  std::error_code none;
  if (std::filesystem::exists(beside, none)) place.key = beside.string();
  if (!is_apart()) token_ = protocol::seen_token(place);
  return Wire::to_driver(place);
}

/// REQUIRES: nobody else reads the wire.
protocol::Welcome Link::greet(Wire& wire) {
  decoder_ = protocol::Decoder();
  protocol::Hello hello{.version = version(), .role = "worker", .worker = options_.worker, .pid = ::getpid()};
  hello.host = options_.host.empty() ? host_name() : options_.host;
  hello.session = session_;
  hello.job = options_.job;
  hello.token = token_;
  hello.is_apart = is_apart();
  hello.holds = held();
  wire.write(protocol::encode(hello));
  protocol::Message reply = receive_one(wire);
  if (const auto* refused = std::get_if<protocol::Refused>(&reply)) {
    throw Error(ErrorKind::usage, "the driver refused this worker: " + refused->reason);
  }
  auto* welcome = std::get_if<protocol::Welcome>(&reply);
  if (welcome == nullptr) throw Error(ErrorKind::usage, "the driver answered hello with something else");
  return std::move(*welcome);
}

/// What it would go on with, then what it can answer. Results beyond the limit are said again all the same.
std::vector<protocol::Held> Link::held() {
  const std::lock_guard lock(mutex_);
  std::vector<Attempt> all;
  if (!shutdown_at_) {
    if (current_ && stop_ != StopReason::abandoned) all.push_back(*current_);
    for (const trial::PieceOrder& order : orders_) {
      if (!abandoned_.contains(name_of(order))) all.push_back(name_of(order));
    }
  }
  for (const auto& [attempt, frame] : unacknowledged_) {
    if (all.empty() || all.front() != attempt) all.push_back(attempt);
  }
  if (all.size() > protocol::kMostHeld) all.resize(protocol::kMostHeld);
  std::vector<protocol::Held> out;
  for (const auto& [key, attempt] : all) out.push_back({key, attempt});
  return out;
}

protocol::Message Link::receive_one(Wire& wire) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(kWelcomeMilliseconds);
  for (;;) {
    if (auto message = decoder_.next()) return std::move(*message);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || !wait_readable(wire.descriptor(), static_cast<int>(left))) {
      throw Error(ErrorKind::outside, "the driver did not answer hello within 30 seconds");
    }
    const auto came = wire.receive();
    if (!came) throw Error(ErrorKind::outside, "the driver closed the connection instead of a welcome");
    decoder_.add(*came);
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
  mail_.clear();
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

void Link::send(trial::Runtime runtime) {
  const std::string frame = protocol::encode(protocol::Prepared{std::move(runtime)});
  {
    const std::lock_guard lock(mutex_);
    if (has_joined()) prepared_ = frame;
  }
  write(frame);
}

void Link::send(const trial::PieceResult& result) {
  {
    const std::lock_guard lock(mutex_);
    telemetry_.clear();  // the result has it all
    write(take_curves());
  }
  const std::string frame = frame_of(result);
  {
    const std::lock_guard lock(mutex_);
    unacknowledged_[{result.key, result.attempt}] = has_joined() ? frame : std::string();
  }
  write(frame);
}

void Link::say(const protocol::Message& message) {
  {
    const std::lock_guard lock(mutex_);
    if (current_ && unasked_.contains(*current_)) return;
  }
  write(protocol::encode(message));
}

std::optional<protocol::Message> Link::hear(bool is_done) {
  std::unique_lock lock(mutex_);
  const auto should_end = [&] { return is_done ? stop_ == StopReason::abandoned : stop_ != StopReason::none; };
  changed_.wait(lock, [&] { return should_end() || !mail_.empty(); });
  if (should_end()) return std::nullopt;
  protocol::Message message = std::move(mail_.front());
  mail_.pop_front();
  return message;
}

void Link::count_time(bool does_count) {
  const std::lock_guard lock(mutex_);
  begun_ = does_count ? std::optional(Clock::now()) : std::nullopt;
}

void Link::wait_for_acks() {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, shutdown_at_.value_or(Clock::now()), [&] { return unacknowledged_.empty(); });
}

/// Ends when the driver has hung up: what it sends to a socket that is closed would reset the connection before it
/// reads that this worker leaves.
void Link::leave() {
  std::unique_lock lock(mutex_);
  if (leaving_.empty()) return;
  has_left_ = true;
  const std::string frame = protocol::encode(protocol::Leave{leaving_});
  lock.unlock();
  write(frame);
  lock.lock();
  changed_.wait_for(lock, kFarewell, [&] { return is_hung_up_; });
}

/// After the farewell nobody is to be found again.
bool Link::has_hung_up() {
  const std::lock_guard lock(mutex_);
  is_hung_up_ = has_left_;
  changed_.notify_all();
  return is_hung_up_;
}

/// Orders may have come with the welcome, so what is there is taken before anything is waited for.
void Link::serve() {
  bool is_readable = false;
  while (!is_closing_) {
    try {
      serve_once(is_readable);
    } catch (const Error& fault) {
      std::fprintf(stderr, "dlrun-worker: %s\n", fault.what());
      const bool is_outside = fault.kind() == ErrorKind::outside;
      if (!has_joined()) end_suddenly(static_cast<int>(is_outside ? ErrorKind::outside : ErrorKind::internal));
      is_broken_ = true;
    } catch (const std::bad_alloc&) {
      end_suddenly(static_cast<int>(ErrorKind::outside));
    }
    if (is_broken_ && has_hung_up()) return;
    if (is_broken_ && !is_closing_) lose_driver();
    pollfd items[] = {{wire_->descriptor(), POLLIN, 0}, {signals_, POLLIN, 0}};
    const bool is_any = ::poll(items, 2, kTickMilliseconds) > 0;
    if (is_any && items[1].revents != 0) take_signal();
    is_readable = is_any && items[0].revents != 0;
  }
}

void Link::serve_once(bool is_readable) {
  if (is_readable) read_messages();
  take_all();
  look_at_clock();
}

/// The first asks a worker that joined by itself to save and leave. A notice is no haste, and may come again.
void Link::take_signal() {
  signalfd_siginfo facts{};
  [[maybe_unused]] const ssize_t got = ::read(signals_, &facts, sizeof facts);
  const bool is_notice = facts.ssi_signo == SIGUSR1;
  if (!has_joined()) end_suddenly(128 + SIGTERM);
  const std::lock_guard lock(mutex_);
  if (is_hurried_ && !is_notice) end_suddenly(128 + static_cast<int>(facts.ssi_signo));
  if (leaving_.empty()) leaving_ = fmt::format("it was told to by signal {}", facts.ssi_signo);
  const auto end = Clock::now() + (is_notice ? kNoticeGrace : kLeaveGrace);
  shutdown_at_ = std::min(shutdown_at_.value_or(end), end);
  is_hurried_ = is_hurried_ || !is_notice;
  stop_ = StopReason::shutdown;
  changed_.notify_all();
}

/// Of this machine it has ended, and so do its workers; another's may be there again soon.
void Link::lose_driver() {
  if (!has_joined() || welcome_.grace <= 0) end_suddenly(0);
  wire_->shut_down();  // the main thread may be waiting to write
  come_back();
}

void Link::come_back() {
  std::fprintf(stderr, "dlrun-worker: the connection to the driver is lost; trying for %g s to come back\n",
               welcome_.grace);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(welcome_.grace));
  std::string fault;
  while (!is_closing_ && Clock::now() < deadline) {
    if (try_to_come_back(fault)) return;
    if (wait_readable(signals_, kRetryMilliseconds)) take_signal();
    const std::lock_guard lock(mutex_);
    if (shutdown_at_ && Clock::now() >= *shutdown_at_) end_suddenly(0);
  }
  if (is_closing_) return;
  std::fprintf(stderr, "dlrun-worker: %s\n", fault.c_str());
  end_suddenly(static_cast<int>(ErrorKind::outside));
}

/// False: not yet, and why.
bool Link::try_to_come_back(std::string& fault) {
  try {
    std::shared_ptr<Wire> wire = connect();
    const protocol::Welcome welcome = greet(*wire);
    {
      const std::lock_guard lock(wire_mutex_);
      wire_ = std::move(wire);
    }
    is_broken_ = false;
    last_heard_ = Clock::now();
    resume_with(welcome);
    return true;
  } catch (const Error& reason) {
    fault = reason.what();
    if (reason.kind() != ErrorKind::usage) return false;
    std::fprintf(stderr, "dlrun-worker: %s\n", fault.c_str());  // refused: it will not be otherwise the next time
    end_suddenly(reason.exit_code());
  }
}

/// Says what was not acknowledged; where nobody waits any more for what is at hand, gives it up.
void Link::resume_with(const protocol::Welcome& welcome) {
  std::string frames;
  {
    const std::lock_guard lock(mutex_);
    frames = prepared_;
    for (const auto& [attempt, frame] : unacknowledged_) frames += frame;
    mail_.clear();
    unasked_.clear();
    welcome.is_back ? keep_all() : give_up_all();
    changed_.notify_all();
  }
  write(frames);
}

/// The driver orders it again, or has it abandoned. REQUIRES: mutex_ is held.
void Link::keep_all() {
  if (current_) unasked_.insert(*current_);
  for (const trial::PieceOrder& order : orders_) unasked_.insert(name_of(order));
}

/// REQUIRES: mutex_ is held.
void Link::give_up_all() {
  orders_.clear();
  telemetry_.clear();
  curves_.clear();
  if (current_ && stop_ == StopReason::none) stop_ = StopReason::abandoned;
  mail_.emplace_back(protocol::Welcome());
}

/// The driver has said what becomes of it; from now on it answers. REQUIRES: mutex_ is held.
void Link::was_asked(const Attempt& attempt) {
  if (unasked_.erase(attempt) > 0 && current_ == attempt) mail_.emplace_back(protocol::Welcome());
}

void Link::read_messages() {
  const auto came = wire_->receive();
  if (!came) {
    is_broken_ = true;
    return;
  }
  last_heard_ = Clock::now();
  decoder_.add(*came);
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
    take_order(std::move(assign->order));
  } else if (const auto* ack = std::get_if<protocol::Ack>(&message)) {
    unacknowledged_.erase({ack->key, ack->attempt});
  } else if (const auto* fenced = std::get_if<protocol::Fenced>(&message)) {
    unacknowledged_.erase({fenced->key, fenced->attempt});
  } else if (const auto* abandon = std::get_if<protocol::Abandon>(&message)) {
    take_abandon({abandon->key, abandon->attempt});
  } else if (const auto* shutdown = std::get_if<protocol::Shutdown>(&message)) {
    shutdown_at_ = Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(shutdown->grace * 1000));
    stop_ = StopReason::shutdown;
  } else if (is_apart() && is_of_artifacts(message)) {
    mail_.push_back(std::move(message));
  } else if (!std::holds_alternative<protocol::Heartbeat>(message)) {
    throw Error(ErrorKind::usage, "the driver sent a message that is not for workers");
  }
}

/// After a connection was lost it may come twice.
void Link::take_order(trial::PieceOrder order) {
  const Attempt attempt = name_of(order);
  was_asked(attempt);
  bool is_here = has_joined() && (current_ == attempt || unacknowledged_.contains(attempt));
  for (const trial::PieceOrder& other : orders_) {
    if (has_joined() && name_of(other) == attempt) is_here = true;
  }
  if (!is_here) orders_.push_back(std::move(order));
}

void Link::take_abandon(const Attempt& attempt) {
  was_asked(attempt);
  if (current_ == attempt) {
    if (stop_ == StopReason::none) stop_ = StopReason::abandoned;
    return;
  }
  for (const trial::PieceOrder& order : orders_) {
    if (name_of(order) == attempt) abandoned_.insert(attempt);
  }
}

void Link::look_at_clock() {
  send_telemetry();
  const auto now = Clock::now();
  if (Seconds(now - last_heartbeat_).count() >= welcome_.heartbeat) {
    last_heartbeat_ = now;
    write(protocol::encode(protocol::Heartbeat{steps_.load(std::memory_order_relaxed), resident_bytes()}));
  }
  if (welcome_.lost_after > 0 && Seconds(now - last_heard_).count() > welcome_.lost_after) is_broken_ = true;
  const std::lock_guard lock(mutex_);
  if (shutdown_at_ && now >= *shutdown_at_) end_suddenly(0);
  const bool is_late =
      current_ && begun_ && setup_.time_limit > 0 && Seconds(now - *begun_).count() > setup_.time_limit;
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

/// A worker of this machine ends with its driver; one that joined goes on, and says its results once more.
void Link::write(std::string_view bytes) {
  if (is_broken_ || bytes.empty()) return;
  std::shared_ptr<Wire> wire;
  {
    const std::lock_guard lock(wire_mutex_);
    wire = wire_;
  }
  if (wire->write(bytes)) return;
  if (!has_joined()) end_suddenly(0);
  const std::lock_guard lock(wire_mutex_);
  if (wire == wire_) is_broken_ = true;  // else there is another one already
}

}  // namespace dlrun::worker
