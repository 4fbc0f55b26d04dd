// SPDX-License-Identifier: Apache-2.0
#include "executor/local_executor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <algorithm>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <system_error>

#include "executor/connection.hpp"
#include "executor/runtime_folder.hpp"
#include "executor/worker_process.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/version.hpp"

namespace dlrun::executor {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr int kEarlyDeaths = 3;            ///< in a row, before being ready: the study stops
constexpr Seconds kReadyDeadline{60};      ///< from the start of a worker to its hello
constexpr Seconds kHelloDeadline{5};       ///< of any peer, from connecting
constexpr std::size_t kMaxStrangers = 64;  ///< peers that have not said who they are
constexpr std::chrono::milliseconds kTick{100};

/// A worker, from its start to the moment its end was told.
struct Worker {
  explicit Worker(asio::io_context& loop) : end_watch(loop) {}
  std::int64_t number = -1;
  std::unique_ptr<WorkerProcess> process;
  asio::posix::stream_descriptor end_watch;  ///< readable once the process has ended
  std::shared_ptr<Connection> connection;
  bool is_ready = false;
  bool has_ended = false;
  Clock::time_point started = Clock::now();
  Clock::time_point last_heard = Clock::now();
  // the piece it runs, as far as one can know from here
  std::deque<AttemptKey> unfinished;
  Clock::time_point piece_began = Clock::now();
  std::int64_t steps = -1;
  Clock::time_point last_step = Clock::now();
  // being ended by us
  std::optional<Ending> sentence;
  std::optional<Clock::time_point> kill_at;
  Clock::time_point ended_at;
};

/// No descriptor of ours may live on in a worker: its peers would not see our end.
int duplicate(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

double since(Clock::time_point moment) { return Seconds(Clock::now() - moment).count(); }

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

class LocalExecutor::Impl {
 public:
  explicit Impl(const LocalOptions& options) : options_(options), acceptor_(loop_), wake_(loop_) {
    require_worker_program(options.binary);
    socket_ = socket_in(options.folder);
    ::unlink(socket_.c_str());  // of a driver that was killed: the study's lock is ours
    listen();
    if (options.wake_fd >= 0) {
      wake_.assign(duplicate(options.wake_fd));
      watch_wake();
    }
  }

  ~Impl() {
    for (const auto& worker : workers_) worker->process.reset();
    ::unlink(socket_.c_str());
    ::rmdir(options_.folder.c_str());
  }

  void start(int count) {
    wanted_ = count;
    while (static_cast<int>(workers_.size()) < wanted_) start_worker();
  }

  std::vector<Happening> wait(std::chrono::milliseconds most) {
    const auto deadline = Clock::now() + most;
    flush();
    is_woken_ = false;
    do {
      loop_.restart();
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
      loop_.run_one_for(std::clamp(left, std::chrono::milliseconds(0), kTick));
      loop_.poll();
      look_at_workers();
    } while (happenings_.empty() && !is_woken_ && Clock::now() < deadline);
    return std::exchange(happenings_, {});
  }

  void send(std::int64_t number, const protocol::Message& message) {
    Worker* worker = find(number);
    if (worker == nullptr || !worker->connection) return;  // its end is among the happenings not yet taken
    if (const auto* assign = std::get_if<protocol::Assign>(&message)) note_order(*worker, assign->order);
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
  }

  void shut_down(std::chrono::milliseconds grace) {
    is_shutting_down_ = true;
    const double seconds = Seconds(grace).count();
    for (const auto& worker : workers_) {
      if (worker->connection) worker->connection->send(protocol::Shutdown{seconds});
      const auto kill_at = worker->connection ? in(seconds + 1) : Clock::now();
      if (!worker->kill_at || kill_at < *worker->kill_at) worker->kill_at = kill_at;
    }
    flush();
  }

  int alive() const { return static_cast<int>(workers_.size()); }
  std::string address() const { return socket_.string(); }

 private:
  // ---- the socket ----
  void listen() {
    try {
      acceptor_.open();
      acceptor_.bind(stream_protocol::endpoint(socket_.string()));
      ::chmod(socket_.c_str(), 0600);
      ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
      acceptor_.listen(128);
      accept();
    } catch (const std::exception& fault) {
      throw Error(ErrorKind::outside, "cannot listen on '" + socket_.string() + "': " + fault.what());
    }
  }

  void accept() {
    acceptor_.async_accept([this](error_code fault, stream_protocol::socket socket) {
      if (fault == asio::error::operation_aborted) return;
      if (!fault) meet(std::move(socket));
      accept();
    });
  }

  void meet(stream_protocol::socket socket) {
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // Asio does not
    auto connection = std::make_shared<Connection>(
        std::move(socket),
        Connection::Callbacks{[this](Connection& from, protocol::Message m) { take(from, std::move(m)); },
                              [this](Connection& from, const std::string& why) { lose(from, why); }});
    if (connection->peer().uid != ::getuid() || strangers_.size() >= kMaxStrangers) return connection->close();
    strangers_.push_back(connection);
    connection->start();
  }

  void watch_wake() {
    wake_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code fault) {
      if (fault) return;
      is_woken_ = true;
      std::array<char, 64> ignored;
      [[maybe_unused]] const ssize_t got = ::read(wake_.native_handle(), ignored.data(), ignored.size());
      watch_wake();
    });
  }

  // ---- what peers say ----
  void take(Connection& from, protocol::Message message) {
    if (!from.is_known) return greet(from, message);
    if (!from.is_worker) return take_control(from, std::move(message));
    Worker* worker = find(from.owner);
    if (worker == nullptr) return;
    worker->last_heard = Clock::now();
    if (auto* result = std::get_if<protocol::Result>(&message)) {
      finish_order(*worker, {result->result.key, result->result.attempt});
      happenings_.push_back(ResultCame{worker->number, std::move(result->result)});
    } else if (auto* reported = std::get_if<protocol::Reported>(&message)) {
      happenings_.push_back(
          ReportCame{worker->number, {reported->key, reported->attempt}, std::move(reported->report)});
    } else if (const auto* beat = std::get_if<protocol::Heartbeat>(&message)) {
      if (beat->steps != worker->steps) worker->last_step = Clock::now();
      worker->steps = beat->steps;
    } else {
      throw Error(ErrorKind::usage, "a worker sent what only a driver sends");
    }
  }

  void greet(Connection& from, const protocol::Message& message) {
    const auto* hello = std::get_if<protocol::Hello>(&message);
    const std::string fault = hello == nullptr ? "the first message must be hello" : fault_of(*hello, from);
    if (!fault.empty()) {
      from.send(protocol::Refused{fault});
      from.close();
      return forget_stranger(from);
    }
    from.is_known = true;
    from.trust();
    hello->role == "worker" ? welcome(from, *hello) : admit(from);
    forget_stranger(from);
  }

  std::string fault_of(const protocol::Hello& hello, const Connection& from) {
    if (hello.protocol != protocol::kProtocolVersion) {
      return "protocol " + std::to_string(hello.protocol) + " is spoken there, " +
             std::to_string(protocol::kProtocolVersion) + " here";
    }
    if (hello.role == "control") return {};
    if (hello.role != "worker") return "'" + hello.role + "' is no role";
    if (hello.version != version()) return "worker " + hello.version + " does not fit driver " + version();
    const Worker* worker = find(hello.worker);
    const bool is_ours = worker != nullptr && !worker->connection && worker->process->pid() == from.peer().pid;
    return is_ours ? std::string() : "worker " + std::to_string(hello.worker) + " was not started by this driver";
  }

  void welcome(Connection& from, const protocol::Hello& hello) {
    Worker& worker = *find(hello.worker);
    from.is_worker = true;
    from.owner = worker.number;
    worker.connection = from.shared_from_this();
    worker.is_ready = true;
    worker.last_heard = Clock::now();
    early_deaths_ = 0;
    const double beat =
        options_.hang_seconds > 0 ? std::min(options_.heartbeat, options_.hang_seconds / 4) : options_.heartbeat;
    from.send(protocol::Welcome{options_.setup, beat});
    if (is_shutting_down_) from.send(protocol::Shutdown{0});
    from.flush();
    happenings_.push_back(WorkerReady{worker.number, worker.process->pid(), hello.host});
  }

  void admit(Connection& from) {
    from.owner = next_client_++;
    clients_.emplace(from.owner, from.shared_from_this());
  }

  void take_control(Connection& from, protocol::Message message) {
    auto* control = std::get_if<protocol::Control>(&message);
    if (control == nullptr) throw Error(ErrorKind::usage, "a control client sent something else");
    happenings_.push_back(ControlAsked{from.owner, std::move(control->request)});
  }

  void lose(Connection& from, const std::string& why) {
    forget_stranger(from);
    if (!from.is_known) return;
    if (!from.is_worker) {
      clients_.erase(from.owner);
      return;
    }
    Worker* worker = find(from.owner);
    if (worker == nullptr) return;
    worker->connection.reset();
    if (worker->has_ended) return;
    if (!why.empty())
      condemn(*worker, {trial::Cause::worker_lost, "its connection broke: " + why});
    else if (!worker->kill_at)
      worker->kill_at = in(options_.kill_grace);  // it is about to end by itself
  }

  void forget_stranger(const Connection& from) {
    std::erase_if(strangers_, [&](const auto& stranger) { return stranger.get() == &from; });
  }

  // ---- orders under way ----
  void note_order(Worker& worker, const trial::PieceOrder& order) {
    if (worker.unfinished.empty()) begin_piece(worker);
    worker.unfinished.push_back({order.key, order.attempt});
  }

  void finish_order(Worker& worker, const AttemptKey& attempt) {
    std::erase(worker.unfinished, attempt);
    begin_piece(worker);
  }

  static void begin_piece(Worker& worker) { worker.piece_began = worker.last_step = Clock::now(); }

  // ---- workers' lives ----
  Worker* find(std::int64_t number) {
    for (const auto& worker : workers_) {
      if (worker->number == number) return worker.get();
    }
    return nullptr;
  }

  void start_worker() {
    auto worker = std::make_unique<Worker>(loop_);
    worker->number = next_worker_++;
    make_folders(options_.logs);
    worker->process = std::make_unique<WorkerProcess>(ProcessOptions{
        options_.binary, socket_, options_.logs / (std::to_string(worker->number) + ".log"), worker->number});
    worker->end_watch.assign(duplicate(worker->process->pidfd()));
    watch_end(*worker);
    workers_.push_back(std::move(worker));
  }

  /// Wakes the loop. The kernel says it for each thread of the process; only after the last it can be reaped.
  void watch_end(Worker& worker) {
    worker.end_watch.async_wait(asio::posix::stream_descriptor::wait_read, [this, &worker](error_code fault) {
      if (!fault && !worker.process->has_ended()) watch_end(worker);
    });
  }

  /// Ends a worker for this reason: SIGTERM, later SIGKILL.
  void condemn(Worker& worker, const Ending& sentence) {
    if (worker.sentence) return;
    worker.sentence = sentence;
    worker.process->signal(SIGTERM);
    worker.process->signal(SIGCONT);
    worker.kill_at = in(options_.kill_grace);
  }

  void look_at_workers() {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      Worker& worker = *workers_[i];
      if (!worker.has_ended && worker.process->has_ended()) {
        worker.has_ended = true;
        worker.ended_at = Clock::now();
      }
      if (!worker.has_ended) watch(worker);
    }
    bury_dead();
    drop_slow_strangers();
    restart_missing();
  }

  void watch(Worker& worker) {
    if (worker.kill_at && Clock::now() >= *worker.kill_at) worker.process->signal(SIGKILL);
    if (!worker.is_ready) {
      if (since(worker.started) > kReadyDeadline.count()) {
        condemn(worker, {trial::Cause::worker_lost, "the worker did not say hello within 60 s"});
      }
      return;
    }
    if (since(worker.last_heard) > options_.lost_after) {
      return condemn(worker, {trial::Cause::worker_lost, "no sign of life for " + seconds_text(options_.lost_after)});
    }
    if (!worker.unfinished.empty()) watch_piece(worker);
  }

  void watch_piece(Worker& worker) {
    const double limit = options_.setup.time_limit;
    if (limit > 0 && since(worker.piece_began) > limit + options_.overtime) {
      return condemn(worker, {trial::Cause::timeout,
                              "took longer than its limit of " + seconds_text(limit) + " and did not stop when asked"});
    }
    if (options_.hang_seconds > 0 && since(worker.last_step) > options_.hang_seconds) {
      condemn(worker, {trial::Cause::timeout, "hangs: no step for " + seconds_text(options_.hang_seconds)});
    }
  }

  /// A worker's end is told when everything it had sent was read.
  void bury_dead() {
    for (std::size_t i = 0; i < workers_.size();) {
      const bool is_read = !workers_[i]->connection || since(workers_[i]->ended_at) > 5;
      if (workers_[i]->has_ended && is_read) {
        const auto worker = std::move(workers_[i]);
        workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
        tell_end(*worker);
      } else {
        ++i;
      }
    }
  }

  void tell_end(Worker& worker) {
    if (worker.connection) worker.connection->close();
    const Ending ending = worker.sentence.value_or(worker.process->ending());
    const std::string tail = worker.process->log_tail();
    if (!worker.is_ready && !is_shutting_down_) note_early_death(ending, tail);
    happenings_.push_back(WorkerEnded{worker.number,
                                      worker.process->pid(),
                                      is_shutting_down_,
                                      ending.cause,
                                      ending.message,
                                      tail,
                                      {worker.unfinished.begin(), worker.unfinished.end()}});
  }

  void note_early_death(const Ending& ending, const std::string& tail) {
    const std::string said = tail.empty() ? " and said nothing" : "; its last words:\n" + tail;
    if (++early_deaths_ >= kEarlyDeaths) {
      throw Error(ErrorKind::no_worker, std::to_string(kEarlyDeaths) +
                                            " workers in a row ended before they were ready: " + ending.message + said);
    }
    restart_at_ = in(0.1 * early_deaths_);
  }

  void restart_missing() {
    if (is_shutting_down_ || Clock::now() < restart_at_) return;
    while (static_cast<int>(workers_.size()) < wanted_) start_worker();
  }

  void drop_slow_strangers() {
    const auto slow = strangers_;
    for (const auto& stranger : slow) {
      if (since(stranger->opened()) <= kHelloDeadline.count()) continue;
      stranger->close();
      forget_stranger(*stranger);
    }
  }

  LocalOptions options_;
  std::filesystem::path socket_;
  asio::io_context loop_{1};
  stream_protocol::acceptor acceptor_;
  asio::posix::stream_descriptor wake_;
  bool is_woken_ = false;
  bool is_shutting_down_ = false;
  int wanted_ = 0;
  int early_deaths_ = 0;
  Clock::time_point restart_at_ = Clock::now();
  std::int64_t next_worker_ = 0;
  std::int64_t next_client_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::shared_ptr<Connection>> strangers_;
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

LocalExecutor::LocalExecutor(const LocalOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LocalExecutor::~LocalExecutor() = default;
void LocalExecutor::start(int workers) { impl_->start(workers); }
std::vector<Happening> LocalExecutor::wait(std::chrono::milliseconds most) { return impl_->wait(most); }
void LocalExecutor::send(std::int64_t worker, const protocol::Message& message) { impl_->send(worker, message); }
void LocalExecutor::flush() { impl_->flush(); }
void LocalExecutor::answer(std::int64_t client, const Json& reply) { impl_->answer(client, reply); }
void LocalExecutor::shut_down(std::chrono::milliseconds grace) { impl_->shut_down(grace); }
int LocalExecutor::alive() const { return impl_->alive(); }
std::string LocalExecutor::address() const { return impl_->address(); }

}  // namespace dlrun::executor
