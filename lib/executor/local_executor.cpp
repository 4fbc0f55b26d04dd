// SPDX-License-Identifier: Apache-2.0
#include "executor/local_executor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <optional>

#include "executor/connection.hpp"
#include "executor/core_slots.hpp"
#include "executor/gpu_slots.hpp"
#include "executor/listener.hpp"
#include "executor/local_worker.hpp"
#include "executor/runtime_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/version.hpp"

namespace dlrun::executor {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr int kEarlyDeaths = 3;           ///< in a row, before being ready: the study stops
constexpr milliseconds kEarlyPause{100};  ///< after each of them
constexpr milliseconds kTick{100};        ///< how often clocks are looked at

constexpr std::size_t kMaxClients = 64;              ///< people's commands at once
constexpr std::chrono::seconds kClientDeadline{30};  ///< of each, from connecting
constexpr std::size_t kMaxUnread = 4 << 20;          ///< bytes of replies it may leave unread
constexpr std::size_t kMostHappenings = 10'000;      ///< told at once; the rest waits in the sockets
constexpr int kMostHandlers = 1000;                  ///< run before the driver gets its turn, whoever floods us

/// Of a driver that was killed: the study's lock is ours, so nobody listens there any more.
std::filesystem::path free_socket(const std::filesystem::path& folder) {
  std::filesystem::path socket = socket_in(folder);
  ::unlink(socket.c_str());
  return socket;
}

}  // namespace

class LocalExecutor::Impl {
 public:
  explicit Impl(const LocalOptions& options)
      : options_(options), socket_(free_socket(options.folder)), listener_(loop_, socket_, callbacks()), wake_(loop_) {
    if (options.wake_fd < 0) return;
    wake_.assign(::fcntl(options.wake_fd, F_DUPFD_CLOEXEC, 0));
    watch_wake();
  }

  ~Impl() {
    workers_.clear();
    ::unlink(socket_.c_str());
    ::rmdir(options_.folder.c_str());
  }

  void start(int count) {
    wanted_ = count;
    share_cores();
    share_gpus();
    make_folders(options_.logs);
    restart_missing();
  }

  std::vector<Happening> wait(milliseconds most) {
    const auto deadline = Clock::now() + most;
    flush();
    is_woken_ = false;
    do {
      loop_.restart();
      const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
      loop_.run_one_for(std::clamp(left, milliseconds(0), kTick));
      for (int i = 0; i < kMostHandlers && happenings_.size() < kMostHappenings && loop_.poll_one() > 0; ++i) {
      }
      for (const auto& worker : workers_) worker->watch();
      bury_dead();
      restart_missing();
      listener_.watch();
      drop_slow_clients();
    } while (happenings_.empty() && !is_woken_ && Clock::now() < deadline);
    return std::exchange(happenings_, {});
  }

  void send(std::int64_t number, const protocol::Message& message) {
    LocalWorker* worker = find(number);
    if (worker == nullptr || !worker->connection) return;  // its end is among the happenings not yet taken
    if (const auto* assign = std::get_if<protocol::Assign>(&message)) {
      worker->note_order({assign->order.key, assign->order.attempt});
    }
    worker->connection->send(message);
  }

  void flush() {
    for (const auto& worker : workers_) {
      if (worker->connection) worker->connection->flush();
    }
  }

  void answer(std::int64_t client, const Json& reply) {
    const auto found = clients_.find(client);
    if (found == clients_.end()) return;
    found->second->send(protocol::ControlReply{reply});
    found->second->flush();
    if (found->second->unwritten() <= kMaxUnread) return;
    found->second->close();  // it asks and asks and never listens
    clients_.erase(found);
  }

  void shut_down(milliseconds grace) {
    is_shutting_down_ = true;
    const protocol::Shutdown message{std::chrono::duration<double>(grace).count()};
    for (const auto& worker : workers_) {
      if (worker->connection) worker->connection->send(message);
      worker->must_end_by(Clock::now() + (worker->connection ? grace + milliseconds(1000) : milliseconds(0)));
    }
    flush();
  }

  int alive() const { return static_cast<int>(workers_.size()); }
  std::string address() const { return socket_.string(); }

 private:
  Listener::Callbacks callbacks() {
    return {[this](std::int64_t pid) { return is_expected(pid); },
            [this](Connection& from, const protocol::Hello& hello) { return greet(from, hello); },
            [this](Connection& from, protocol::Message message) { take(from, std::move(message)); },
            [this](Connection& from, const std::string& reason) { lose(from, reason); }};
  }

  void watch_wake() {
    wake_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code fault) {
      if (fault) return;
      is_woken_ = true;
      std::uint64_t ignored = 0;
      [[maybe_unused]] const ssize_t got = ::read(wake_.native_handle(), &ignored, sizeof ignored);
      watch_wake();
    });
  }

  /// A worker of ours that has not said hello yet: however many others stand at the door, it gets in.
  bool is_expected(std::int64_t pid) const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [&](const auto& worker) { return !worker->is_ready() && worker->pid() == pid; });
  }

  void drop_slow_clients() {
    std::erase_if(clients_, [](const auto& client) {
      const bool is_slow = Clock::now() - client.second->opened() > kClientDeadline;
      if (is_slow) client.second->close();
      return is_slow;
    });
  }

  // ---- what peers say ----
  std::string greet(Connection& from, const protocol::Hello& hello) {
    if (hello.role == "control") {
      if (clients_.size() >= kMaxClients) return "too many commands at once";
      from.owner = next_client_++;
      clients_.emplace(from.owner, from.shared_from_this());
      return {};
    }
    if (hello.role != "worker") return "'" + hello.role + "' is no role";
    if (hello.version != version()) return "worker " + hello.version + " does not fit driver " + version();
    LocalWorker* worker = find(hello.worker);
    const bool is_ours = worker != nullptr && !worker->is_ready() && worker->pid() == from.peer().pid;
    if (!is_ours) return "worker " + std::to_string(hello.worker) + " was not started by this driver";
    welcome(from, *worker, hello.host);
    return {};
  }

  void welcome(Connection& from, LocalWorker& worker, const std::string& host) {
    from.is_worker = true;
    from.owner = worker.number();
    worker.said_hello(from.shared_from_this());
    early_deaths_ = 0;
    const double hang = options_.hang_seconds;
    from.send(
        protocol::Welcome{options_.setup, hang > 0 ? std::min(options_.heartbeat, hang / 4) : options_.heartbeat});
    if (is_shutting_down_) from.send(protocol::Shutdown{0});
    from.flush();
    happenings_.push_back(WorkerReady{worker.number(), worker.pid(), host});
  }

  void take(Connection& from, protocol::Message message) {
    if (from.is_worker) return take_from_worker(from.owner, std::move(message));
    auto* control = std::get_if<protocol::Control>(&message);
    if (control == nullptr) throw Error(ErrorKind::usage, "a control client sent something else");
    happenings_.push_back(ControlAsked{from.owner, std::move(control->request)});
  }

  void take_from_worker(std::int64_t number, protocol::Message message) {
    LocalWorker* worker = find(number);
    if (worker == nullptr) return;
    worker->was_heard();
    if (auto* result = std::get_if<protocol::Result>(&message)) {
      worker->finish_order({result->result.key, result->result.attempt});
      happenings_.push_back(ResultCame{number, std::move(result->result)});
    } else if (auto* reported = std::get_if<protocol::Reported>(&message)) {
      happenings_.push_back(ReportCame{number, {reported->key, reported->attempt}, std::move(reported->report)});
    } else if (auto* watched = std::get_if<protocol::Watched>(&message)) {
      happenings_.push_back(StepsCame{number, {watched->key, watched->attempt}, std::move(watched->reports)});
    } else if (auto* prepared = std::get_if<protocol::Prepared>(&message)) {
      happenings_.push_back(WorkerPrepared{number, std::move(prepared->runtime)});
    } else if (const auto* beat = std::get_if<protocol::Heartbeat>(&message)) {
      worker->beat(beat->steps);
    } else {
      throw Error(ErrorKind::usage, "a worker sent what only a driver sends");
    }
  }

  void lose(Connection& from, const std::string& reason) {
    if (!from.is_worker) {
      clients_.erase(from.owner);
      return;
    }
    LocalWorker* worker = find(from.owner);
    if (worker == nullptr) return;
    worker->connection.reset();
    if (!reason.empty()) worker->condemn({trial::Cause::worker_lost, "its connection broke: " + reason});
    const std::chrono::duration<double> grace(options_.kill_grace);
    worker->must_end_by(Clock::now() + std::chrono::duration_cast<milliseconds>(grace));  // it is about to, by itself
  }

  // ---- workers' lives ----
  LocalWorker* find(std::int64_t number) {
    for (const auto& worker : workers_) {
      if (worker->number() == number) return worker.get();
    }
    return nullptr;
  }

  void restart_missing() {
    if (is_shutting_down_ || Clock::now() < restart_at_) return;
    while (static_cast<int>(workers_.size()) < wanted_) {
      const std::int64_t number = next_worker_++;
      workers_.push_back(std::make_unique<LocalWorker>(loop_, options_, socket_, number, places_for(number)));
    }
  }

  Places places_for(std::int64_t worker) {
    Places mine;
    if (cores_) mine.cores = cores_->take(worker);
    if (gpus_) mine.gpu = gpus_->take(worker);
    return mine;
  }

  void share_gpus() {
    if (options_.gpus.empty()) return;
    gpus_.emplace(options_.gpus, options_.gpu_share);
    if (gpus_->workers() >= wanted_) return;
    throw Error(ErrorKind::usage,
                fmt::format("resources.gpu_share: {} workers of {:g} of a GPU each do not fit on {} GPU{}", wanted_,
                            options_.gpu_share, options_.gpus.size(), options_.gpus.size() == 1 ? "" : "s"),
                fmt::format("at most {} do: say --workers, or a smaller share", gpus_->workers()));
  }

  void share_cores() {
    if (!options_.pin) return;
    cores_.emplace(std::max(1, options_.setup.threads));
    if (cores_->workers() >= wanted_) return;
    throw Error(
        ErrorKind::usage,
        fmt::format("resources.pin: {} worker{} of {} thread{} cannot each have cores of their own here", wanted_,
                    wanted_ == 1 ? "" : "s", options_.setup.threads, options_.setup.threads == 1 ? "" : "s"),
        fmt::format("at most {} can: say --workers, fewer threads_per_trial, or pin: false", cores_->workers()));
  }

  void bury_dead() {
    for (std::size_t i = 0; i < workers_.size();) {
      if (!workers_[i]->is_over()) {
        ++i;
        continue;
      }
      const auto worker = std::move(workers_[i]);
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
      tell_end(*worker);
    }
  }

  void tell_end(const LocalWorker& worker) {
    if (cores_) cores_->give_back(worker.number());
    if (gpus_) gpus_->give_back(worker.number());
    if (worker.connection) worker.connection->close();
    const Ending ending = worker.ending();
    const std::string tail = worker.log_tail();
    if (!worker.is_ready() && !is_shutting_down_) note_early_death(ending, tail);
    happenings_.push_back(WorkerEnded{.worker = worker.number(),
                                      .pid = worker.pid(),
                                      .is_expected = is_shutting_down_,
                                      .cause = ending.cause,
                                      .message = ending.message,
                                      .log_tail = tail,
                                      .unfinished = worker.unfinished()});
  }

  void note_early_death(const Ending& ending, const std::string& tail) {
    restart_at_ = Clock::now() + kEarlyPause * ++early_deaths_;
    if (early_deaths_ < kEarlyDeaths) return;
    throw Error(ErrorKind::no_worker, std::to_string(kEarlyDeaths) +
                                          " workers in a row ended before they were ready: " + ending.message +
                                          (tail.empty() ? " and said nothing" : "; its last words:\n" + tail));
  }

  LocalOptions options_;
  std::filesystem::path socket_;
  asio::io_context loop_{1};
  Listener listener_;
  asio::posix::stream_descriptor wake_;
  bool is_woken_ = false;
  bool is_shutting_down_ = false;
  std::optional<CoreSlots> cores_;  ///< where workers are pinned
  std::optional<GpuSlots> gpus_;    ///< where they are given one
  int wanted_ = 0;
  int early_deaths_ = 0;
  Clock::time_point restart_at_ = Clock::now();
  std::int64_t next_worker_ = 0;
  std::int64_t next_client_ = 0;
  std::vector<std::unique_ptr<LocalWorker>> workers_;
  std::map<std::int64_t, std::shared_ptr<Connection>> clients_;
  std::vector<Happening> happenings_;
};

void require_worker_program(const std::filesystem::path& binary) {
  if (!std::filesystem::exists(binary)) {
    throw Error(ErrorKind::no_worker, "there is no worker program '" + binary.string() + "'",
                "dlrun-worker lies beside dlrun where both were built");
  }
  if (::access(binary.c_str(), X_OK) != 0) {
    throw Error(ErrorKind::no_worker, "the worker program '" + binary.string() + "' cannot be executed");
  }
}

LocalExecutor::LocalExecutor(const LocalOptions& options) {
  require_worker_program(options.binary);
  impl_ = std::make_unique<Impl>(options);
}
LocalExecutor::~LocalExecutor() = default;
void LocalExecutor::start(int workers) { impl_->start(workers); }
std::vector<Happening> LocalExecutor::wait(milliseconds most) { return impl_->wait(most); }
void LocalExecutor::send(std::int64_t worker, const protocol::Message& message) { impl_->send(worker, message); }
void LocalExecutor::flush() { impl_->flush(); }
void LocalExecutor::answer(std::int64_t client, const Json& reply) { impl_->answer(client, reply); }
void LocalExecutor::shut_down(milliseconds grace) { impl_->shut_down(grace); }
int LocalExecutor::alive() const { return impl_->alive(); }
std::string LocalExecutor::address() const { return impl_->address(); }

}  // namespace dlrun::executor
