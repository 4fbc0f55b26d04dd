// SPDX-License-Identifier: Apache-2.0
#include "executor/hub.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "executor/clients.hpp"
#include "executor/connection.hpp"
#include "executor/crew.hpp"
#include "executor/listener.hpp"
#include "executor/pool.hpp"
#include "executor/read_mark.hpp"
#include "executor/remote_door.hpp"
#include "executor/remote_worker.hpp"
#include "executor/runtime_folder.hpp"
#include "executor/waker.hpp"
#include "executor/worker.hpp"
#include "executor/worker_mail.hpp"
#include "util/error.hpp"
#include "util/version.hpp"

namespace dlrun::executor {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTick{100};  ///< how often clocks are looked at

constexpr std::size_t kMostHappenings = 10'000;  ///< told at once; the rest waits in the sockets
constexpr int kMostHandlers = 1000;              ///< run before the driver gets its turn, whoever floods us

/// Path of the socket, freed first: the study's lock is ours, so a driver that listened there was killed or is fenced.
std::filesystem::path free_socket(const std::filesystem::path& folder) {
  std::filesystem::path socket = socket_in(folder);
  ::unlink(socket.c_str());
  return socket;
}

/// Seconds between heartbeats; hangs must be seen in time.
double heartbeat_of(const HubOptions& options) {
  const double hang = options.hang_seconds;
  return hang > 0 ? std::min(options.heartbeat, hang / 4) : options.heartbeat;
}

ino_t inode_of(const std::filesystem::path& file) {
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace

class Hub::Impl {
 public:
  Impl(const HubOptions& options, std::unique_ptr<Pool> pool)
      : options_(options),
        socket_(free_socket(options.folder)),
        listener_(listen_locally(loop_, socket_), callbacks()),
        inode_(inode_of(socket_)),
        waker_(loop_, options.wake_fd),
        pool_(std::move(pool)) {
    if (options_.network) door_.emplace(loop_, *options_.network, callbacks());
  }

  ~Impl() {
    crew_.clear();
    if (inode_of(socket_) == inode_) ::unlink(socket_.c_str());  // else a driver that took the study over listens there
    ::rmdir(options_.folder.c_str());
  }

  void start(int count) {
    pool_->start(count);
    keep_workers();
  }

  std::vector<Happening> wait(milliseconds most) {
    const auto deadline = Clock::now() + most;
    crew_.flush();
    waker_.was_woken();
    bool is_woken = false;
    do {
      loop_.restart();
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
      loop_.run_one_for(std::clamp(left, milliseconds(0), kTick));
      run_handlers();
      crew_.watch();
      bury_dead();
      keep_workers();
      listener_.watch();
      if (door_) watch_door();
      clients_.drop_slow();
      if (mail_.fault()) throw Error(*mail_.fault());
      is_woken = waker_.was_woken();
    } while (happenings_.empty() && !is_woken && Clock::now() < deadline);
    return std::exchange(happenings_, {});
  }

  Clock::time_point read_up_to() const { return read_.up_to(); }

  void send(std::int64_t worker, const protocol::Message& message) { crew_.send(worker, message); }
  void flush() { crew_.flush(); }
  void answer(std::int64_t client, const Json& reply) { clients_.answer(client, reply); }

  void shut_down(milliseconds grace) {
    is_shutting_down_ = true;
    crew_.dismiss(grace);
    pool_->shut_down(view());
    crew_.flush();
  }

  void need(int workers) { pool_->need(workers); }
  int alive() { return static_cast<int>(crew_.all().size()) + (is_shutting_down_ && pool_->is_busy(view()) ? 1 : 0); }
  std::string address() const { return socket_.string(); }
  std::optional<Reach> reach() const { return door_ ? std::optional(door_->reach()) : std::nullopt; }

 private:
  void run_handlers() {
    for (int i = 0; i < kMostHandlers && happenings_.size() < kMostHappenings; ++i) {
      const auto now = Clock::now();
      if (loop_.poll_one() == 0) return read_.note_empty(now);
    }
  }

  Listener::Callbacks callbacks() {
    return {[this](std::int64_t pid) { return crew_.expects(pid); },
            [this](Connection& from, const protocol::Hello& hello) { return greet(from, hello); },
            [this](Connection& from, protocol::Message message) { read(from, std::move(message)); },
            [this](Connection& from, const std::string& reason) { lose(from, reason); }};
  }

  void watch_door() {
    door_->watch();
    if (auto refused = door_->take_refused()) happenings_.emplace_back(std::move(*refused));
  }

  // ---- what peers say ----
  std::string greet(Connection& from, const protocol::Hello& hello) {
    if (from.is_remote()) return greet_remote(from, hello);
    if (hello.role == "control") {
      if (!clients_.enter(from)) return "too many commands at once";
      return {};
    }
    if (hello.role != "worker") return "'" + hello.role + "' is no role";
    if (hello.version != version()) return "worker " + hello.version + " does not fit driver " + version();
    Worker* worker = crew_.find(hello.worker);
    const bool is_ours = worker != nullptr && !worker->signs.is_ready() && worker->pid() == from.peer().pid;
    if (!is_ours) return meet(from, hello);
    welcome(from, *worker, hello, {options_.setup, heartbeat_of(options_)});
    return {};
  }

  /// Welcomes a worker of another machine, new or back. Steps that it made while it was away are not counted yet, and
  /// orders may reach it only now, so the times of its pieces are measured anew.
  std::string greet_remote(Connection& from, const protocol::Hello& hello) {
    std::string fault = door_->fault_of(hello);
    if (!fault.empty()) return fault;
    RemoteWorker* known = crew_.find_session(hello.session);
    if (known == nullptr) return meet(from, hello);
    if (known->connection) known->connection->close();  // half open
    protocol::Welcome words = words_for(*known);
    words.is_back = true;
    known->work.restart_clock(Clock::now());
    attach(from, *known, words);
    for (const protocol::Message& order : known->open_orders()) from.send(order);
    from.flush();
    return {};
  }

  /// Meets a worker that nobody waited for: is it one of a job, or of another machine?
  std::string meet(Connection& from, const protocol::Hello& hello) {
    Pool::Meeting meeting = pool_->meet(hello, view());
    if (!meeting.worker) return meeting.refusal;
    Worker& worker = *crew_.all().emplace_back(std::move(meeting.worker));
    protocol::Welcome words = words_for(worker);
    words.is_back = !hello.holds.empty();  // the driver decides on the orders that it holds
    welcome(from, worker, hello, words);
    return {};
  }

  protocol::Welcome words_for(const Worker& worker) const {
    protocol::Welcome words{options_.setup, heartbeat_of(options_)};
    worker.complete(words);
    return words;
  }

  /// @param worker  is new
  void welcome(Connection& from, Worker& worker, const protocol::Hello& hello, const protocol::Welcome& words) {
    attach(from, worker, words);
    pool_->is_ready(worker);
    WorkerReady ready = worker.introduction();
    ready.host = hello.host;
    for (const protocol::Held& held : hello.holds) ready.holds.push_back({held.key, held.attempt});
    happenings_.emplace_back(std::move(ready));
  }

  void attach(Connection& from, Worker& worker, const protocol::Welcome& words) {
    from.is_worker = true;
    from.owner = worker.number();
    worker.said_hello(from.shared_from_this());
    from.send(words);
    if (is_shutting_down_) from.send(protocol::Shutdown{0});
    from.flush();
  }

  void read(Connection& from, protocol::Message message) {
    if (from.is_worker) {
      Worker* worker = crew_.find(from.owner);
      if (worker != nullptr) mail_.read(*worker, std::move(message));
      return;
    }
    auto* control = std::get_if<protocol::Control>(&message);
    if (control == nullptr) throw Error(ErrorKind::usage, "a control client sent something else");
    happenings_.push_back(ControlAsked{from.owner, std::move(control->request)});
  }

  void lose(Connection& from, const std::string& reason) {
    if (!from.is_worker) {
      clients_.leave(from);
      return;
    }
    crew_.watch_soon();
    Worker* worker = crew_.find(from.owner);
    if (worker != nullptr && worker->connection.get() == &from) worker->lost_connection(reason);
  }

  // ---- workers' lives ----
  void keep_workers() {
    if (!is_shutting_down_) pool_->keep(view());
  }

  PoolView view() { return {loop_, socket_, crew_.all(), happenings_, next_worker_}; }

  void bury_dead() {
    for (const auto& worker : crew_.bury()) tell_end(*worker);
  }

  void tell_end(const Worker& worker) {
    if (worker.connection) worker.connection->close();
    const bool is_expected = is_shutting_down_ || worker.is_leaving;
    pool_->has_ended(worker, is_expected);
    const Ending ending = worker.ending();
    happenings_.push_back(WorkerEnded{.worker = worker.number(),
                                      .pid = worker.pid(),
                                      .host = worker.host(),
                                      .is_expected = is_expected,
                                      .cause = ending.cause,
                                      .message = ending.message,
                                      .log_tail = worker.log_tail(),
                                      .unfinished = worker.work.attempts()});
  }

  HubOptions options_;
  std::filesystem::path socket_;
  asio::io_context loop_{1};
  Listener listener_;
  ino_t inode_;                     ///< inode of the socket
  std::optional<RemoteDoor> door_;  ///< for other machines
  Waker waker_;
  bool is_shutting_down_ = false;
  std::int64_t next_worker_ = 0;
  std::unique_ptr<Pool> pool_;
  Crew crew_;
  Clients clients_;
  ReadMark read_{Clock::now()};
  std::vector<Happening> happenings_;
  WorkerMail mail_{happenings_};
};

Hub::Hub(const HubOptions& options, std::unique_ptr<Pool> pool)
    : impl_(std::make_unique<Impl>(options, std::move(pool))) {}
Hub::~Hub() = default;
void Hub::start(int workers) { impl_->start(workers); }
std::vector<Happening> Hub::wait(milliseconds most) { return impl_->wait(most); }
Clock::time_point Hub::read_up_to() const { return impl_->read_up_to(); }
void Hub::send(std::int64_t worker, const protocol::Message& message) { impl_->send(worker, message); }
void Hub::flush() { impl_->flush(); }
void Hub::answer(std::int64_t client, const Json& reply) { impl_->answer(client, reply); }
void Hub::need(int workers) { impl_->need(workers); }
void Hub::shut_down(milliseconds grace) { impl_->shut_down(grace); }
int Hub::alive() const { return impl_->alive(); }
std::string Hub::address() const { return impl_->address(); }
std::optional<Reach> Hub::reach() const { return impl_->reach(); }

}  // namespace dlrun::executor
