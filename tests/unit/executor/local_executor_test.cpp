// SPDX-License-Identifier: Apache-2.0
// Real worker processes: what they deliver, and what happens when they die, hang or are not there.
#include "executor/local_executor.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <typeinfo>

#include "executor/control_client.hpp"
#include "executor/runtime_folder.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/version.hpp"

namespace local_executor_test {

using namespace dlrun;
using namespace dlrun::executor;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

class TempFolder {
 public:
  TempFolder() {
    std::string name = "/tmp/dlrun-exec-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// An executor with workers that run `sphere` with the faults the orders name.
struct Fixture {
  TempFolder folder;
  LocalOptions options;
  std::unique_ptr<LocalExecutor> executor;
  std::vector<Happening> all;

  Fixture() {
    options.binary = DLRUN_WORKER;
    options.folder = runtime_folder(folder.path().string());
    options.logs = folder.path() / "workers";
    options.setup.study = "s";
    options.setup.metric = "value";
    options.setup.trial = {{"kind", "function"}, {"function", {{"op", "sphere"}}}};
    options.setup.parameters = Json::object();
    options.setup.artifacts = (folder.path() / "artifacts").string();
    options.kill_grace = 0.5;
  }
  ~Fixture() {
    executor.reset();
    std::error_code none;  // gone already where an executor was made
    std::filesystem::remove_all(options.folder, none);
  }
  void start(int workers) {
    executor = std::make_unique<LocalExecutor>(options);
    executor->start(workers);
  }

  /// The next happening of this kind; what comes before it is kept in `all`. Fails where it hangs.
  template <class T>
  T next() {
    const auto end = std::chrono::steady_clock::now() + seconds(300);
    while (std::chrono::steady_clock::now() < end) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!std::holds_alternative<T>(all[i])) continue;
        T found = std::get<T>(all[i]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        return found;
      }
      for (Happening& happening : executor->wait(milliseconds(1000))) all.push_back(std::move(happening));
    }
    FAIL("waited 300 s for a happening of type " << typeid(T).name());
    throw 0;
  }
};

trial::PieceOrder order(std::int64_t trial, Json sets = Json::object()) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(trial);
  order.attempt = 1;
  order.to_step = 1;
  order.params = {{"x", 0.5}};
  order.sets = std::move(sets);
  return order;
}

trial::PieceOrder faulty(std::int64_t trial, const char* fault) { return order(trial, {{"function.fault", fault}}); }

/// A connection of this process to an executor's socket.
int connected_to(const std::string& address) {
  const int peer = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  address.copy(place.sun_path, sizeof place.sun_path - 1);
  REQUIRE(::connect(peer, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
  return peer;
}

/// The first message that the executor sends to a peer. Fails where it hangs up without one.
protocol::Message heard(LocalExecutor& executor, int peer) {
  protocol::Decoder decoder;
  while (true) {
    executor.wait(milliseconds(20));
    char buffer[4096];
    const ssize_t got = ::recv(peer, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) continue;
    REQUIRE(got > 0);
    decoder.feed({buffer, static_cast<std::size_t>(got)});
    if (auto message = decoder.next()) return std::move(*message);
  }
}

/// What follows `name` on a process's command line; empty where it is not there.
std::string argument_of(std::int64_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  for (std::string text; std::getline(file, text, '\0');) {
    if (text == name) return std::getline(file, text, '\0') ? text : "";
  }
  return {};
}

bool is_alive(std::int64_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.find(") Z") == std::string::npos;
}

}  // namespace

TEST_CASE("workers run what they are given, in order", "[executor]") {
  Fixture f;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  CHECK(is_alive(ready.pid));
  for (int i = 0; i < 100; ++i) f.executor->send(ready.worker, protocol::Assign{order(i)});
  for (int i = 0; i < 100; ++i) {
    const auto came = f.next<ResultCame>();
    CHECK(came.result.key.member.trial.value == i);
    CHECK(came.result.reports.at(0).metrics.at(0).value == 0.25);
    f.executor->send(ready.worker, protocol::Ack{came.result.key, came.result.attempt});
  }
  f.executor->shut_down(seconds(5));
  const auto ended = f.next<WorkerEnded>();
  CHECK(ended.is_expected);
  CHECK(f.executor->alive() == 0);
  CHECK_FALSE(is_alive(ready.pid));
  CHECK_FALSE(std::filesystem::exists(f.folder.path() / "trials"));
}

TEST_CASE("the piece a worker died of is known, and another worker comes", "[executor][faults]") {
  const auto [fault, cause, message] =
      GENERATE(table<const char*, trial::Cause, const char*>({{"crash", trial::Cause::signal, "signal 11"},
                                                              {"abort", trial::Cause::signal, "signal 6"},
                                                              {"kill", trial::Cause::worker_lost, "signal 9"},
                                                              {"exit", trial::Cause::worker_lost, "exit code 3"}}));
  Fixture f;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(0)});
  f.executor->send(ready.worker, protocol::Assign{faulty(1, fault)});
  f.executor->send(ready.worker, protocol::Assign{order(2)});
  const auto ended = f.next<WorkerEnded>();
  CHECK(f.next<ResultCame>().result.key.member.trial.value == 0);
  CHECK_FALSE(ended.is_expected);
  CHECK(ended.cause == cause);
  CHECK_THAT(ended.message, Contains(message));
  REQUIRE(ended.unfinished.size() == 2);
  CHECK(ended.unfinished[0].piece.member.trial.value == 1);
  CHECK(ended.unfinished[1].piece.member.trial.value == 2);
  const auto next = f.next<WorkerReady>();
  CHECK(next.worker != ready.worker);
  f.executor->send(next.worker, protocol::Assign{order(2)});
  CHECK(f.next<ResultCame>().result.key.member.trial.value == 2);
}

TEST_CASE("what goes wrong inside a trial leaves its worker alive", "[executor][faults]") {
  Fixture f;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  const auto result_of = [&](const char* fault) {
    f.executor->send(ready.worker, protocol::Assign{faulty(1, fault)});
    return f.next<ResultCame>().result;
  };
  CHECK(result_of("exception").cause == trial::Cause::exception);
  CHECK(result_of("exception").message == "an exception on purpose");
  CHECK(result_of("oom").cause == trial::Cause::oom);
  CHECK(result_of("nan").cause == trial::Cause::nan);
  CHECK(result_of("none").outcome == trial::Outcome::completed);
}

TEST_CASE("a worker without steps hangs and is ended", "[executor][faults]") {
  Fixture f;
  f.options.hang_seconds = 0.5;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{faulty(1, "hang")});
  const auto ended = f.next<WorkerEnded>();
  CHECK(ended.cause == trial::Cause::timeout);
  CHECK(ended.message == "hangs: no step for 0.5 s");
  CHECK(ended.unfinished.size() == 1);
}

TEST_CASE("a slow trial with steps does not hang", "[executor][faults]") {
  Fixture f;
  f.options.hang_seconds = 5;  // a machine so busy that the worker takes no step for that long would be one to mend
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1, {{"function.sleep", 7}})});
  CHECK(f.next<ResultCame>().result.outcome == trial::Outcome::completed);
}

TEST_CASE("a worker without heartbeats is lost", "[executor][faults]") {
  Fixture f;
  f.options.heartbeat = 0.1;
  f.options.hang_seconds = 0;
  f.options.lost_after = 1;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{faulty(1, "freeze")});
  const auto ended = f.next<WorkerEnded>();
  CHECK(ended.cause == trial::Cause::worker_lost);
  CHECK_THAT(ended.message, Contains("no sign of life for 1 s"));
  CHECK_FALSE(is_alive(ready.pid));
}

TEST_CASE("a piece that takes too long is a timeout and its worker lives", "[executor][faults]") {
  Fixture f;
  f.options.setup.time_limit = 0.3;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1, {{"function.sleep", 100}})});
  const auto result = f.next<ResultCame>().result;
  CHECK(result.cause == trial::Cause::timeout);
  CHECK_THAT(result.message, Contains("its limit of 0.3 seconds"));
  f.executor->send(ready.worker, protocol::Assign{order(2)});
  CHECK(f.next<ResultCame>().result.outcome == trial::Outcome::completed);
}

TEST_CASE("an abandoned piece is answered as cancelled", "[executor]") {
  Fixture f;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  const auto slow = order(1, {{"function.sleep", 100}});
  f.executor->send(ready.worker, protocol::Assign{slow});
  f.executor->send(ready.worker, protocol::Assign{order(2)});
  f.executor->send(ready.worker, protocol::Abandon{order(2).key, 1});
  f.executor->send(ready.worker, protocol::Abandon{slow.key, 1});
  CHECK(f.next<ResultCame>().result.cause == trial::Cause::cancelled);
  CHECK(f.next<ResultCame>().result.cause == trial::Cause::cancelled);
}

TEST_CASE("a worker told to end leaves what it does", "[executor]") {
  Fixture f;
  f.start(2);
  const auto ready = f.next<WorkerReady>();
  f.next<WorkerReady>();
  f.executor->send(ready.worker, protocol::Assign{order(1, {{"function.sleep", 100}})});
  f.executor->shut_down(seconds(30));
  f.next<WorkerEnded>();
  f.next<WorkerEnded>();
  CHECK(f.executor->alive() == 0);
}

TEST_CASE("workers that will not start stop everything", "[executor][faults]") {
  Fixture f;
  SECTION("missing") {
    f.options.binary = f.folder.path() / "dlrun-worker";
    CHECK_THROWS_WITH(f.start(1), Contains("there is no worker program"));
  }
  SECTION("not executable") {
    f.options.binary = f.folder.path() / "dlrun-worker";
    std::ofstream(f.options.binary) << "text";
    ::chmod(f.options.binary.c_str(), 0600);
    CHECK_THROWS_WITH(f.start(1), Contains("cannot be executed") || Contains("cannot start worker"));
  }
  SECTION("broken") {
    f.options.binary = f.folder.path() / "dlrun-worker";
    std::ofstream(f.options.binary) << "#!/bin/sh\necho this worker is broken >&2\nexit 3\n";
    ::chmod(f.options.binary.c_str(), 0700);
    f.start(2);
    try {
      f.next<WorkerReady>();
      FAIL("ready");
    } catch (const Error& fault) {
      CHECK(fault.kind() == ErrorKind::no_worker);
      CHECK_THAT(fault.what(), Contains("this worker is broken") && Contains("exit code 3"));
    }
  }
}

TEST_CASE("a socket path that is too long says so", "[executor]") {
  TempFolder folder;
  const std::string runtime = folder.path().string() + "/" + std::string(100, 'd');
  std::filesystem::create_directory(runtime);
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::optional<std::string> saved = before == nullptr ? std::nullopt : std::optional<std::string>(before);
  ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  CHECK_THROWS_WITH(runtime_folder("x"), Contains("may have 107"));
  saved ? ::setenv("XDG_RUNTIME_DIR", saved->c_str(), 1) : ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a runtime folder that others may enter is refused", "[executor]") {
  const auto folder = runtime_folder("a test of permissions");
  ::chmod(folder.c_str(), 0755);
  CHECK_THROWS_WITH(runtime_folder("a test of permissions"), Contains("not a private folder"));
  std::filesystem::remove(folder);
}

TEST_CASE("control clients are asked and answered", "[executor][control]") {
  Fixture f;
  f.start(1);
  const std::string address = f.executor->address();
  CHECK_FALSE(ask("/tmp/no-such-socket", Json::object()).has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const auto reply = ask(address, {{"command", "status"}});
      ::_exit(reply && reply->at("ok") == true ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  const auto asked = f.next<ControlAsked>();
  CHECK(asked.request.at("command") == "status");
  f.executor->answer(asked.client, {{"ok", true}});
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("strangers do no harm", "[executor][faults]") {
  Fixture f;
  f.start(1);
  const auto ready = f.next<WorkerReady>();
  const std::string script =
      "import socket,sys\n"
      "for data in (b'GET / HTTP/1.1\\r\\n\\r\\n', b'DLR1\\xff\\xff\\xff\\xff\\x01', "
      "b'DLR1\\x02\\x00\\x00\\x00\\x01{}', bytes(range(256))):\n"
      "  for i in range(50):\n"
      "    s=socket.socket(socket.AF_UNIX)\n"
      "    try: s.connect(sys.argv[1]); s.sendall(data); s.close()\n"
      "    except OSError: pass\n";
  const std::string command = "python3 -c \"" + script + "\" " + f.executor->address() + " &";
  REQUIRE(std::system(command.c_str()) == 0);
  for (int i = 0; i < 200; ++i) {
    f.executor->send(ready.worker, protocol::Assign{order(i)});
    CHECK(f.next<ResultCame>().result.outcome == trial::Outcome::completed);
  }
}

TEST_CASE("only the process that was started may say that it is the worker", "[executor][faults]") {
  Fixture f;
  const std::filesystem::path silent = f.folder.path() / "silent";
  std::ofstream(silent) << "#!/bin/sh\nexec sleep 1000\n";
  std::filesystem::permissions(silent, std::filesystem::perms::owner_all);
  f.options.binary = silent;
  f.start(1);
  const std::string hello = protocol::encode(
      protocol::Hello{.version = std::string(version()), .role = "worker", .worker = 0, .pid = ::getpid()});
  const int peer = connected_to(f.executor->address());
  REQUIRE(::send(peer, hello.data(), hello.size(), MSG_NOSIGNAL) == ssize_t(hello.size()));
  const auto answer = heard(*f.executor, peer);
  ::close(peer);
  CHECK(std::holds_alternative<protocol::Refused>(answer));
}

TEST_CASE("pinned workers have cores of their own", "[executor][pin]") {
  Fixture f;
  f.options.pin = true;
  f.start(1);
  const auto prepared = f.next<WorkerPrepared>();
  const auto ready = f.next<WorkerReady>();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  REQUIRE(::sched_getaffinity(pid_t(ready.pid), sizeof mask, &mask) == 0);
  CHECK(CPU_COUNT(&mask) == 1);
  CHECK(CPU_ISSET(std::stoi(prepared.runtime.cores), &mask));
}

TEST_CASE("more pinned workers than cores are refused before one is started", "[executor][pin]") {
  Fixture f;
  f.options.pin = true;
  f.options.setup.threads = 100'000;
  CHECK_THROWS_WITH(f.start(1), Contains("resources.pin: 1 worker of 100000 threads"));
}

TEST_CASE("workers see one GPU each, the next one that of the dead", "[executor][gpu]") {
  Fixture f;
  f.options.gpus = {"4", "7"};
  f.start(2);
  std::map<std::int64_t, std::string> seen;
  for (int i = 0; i < 2; ++i) {
    const auto ready = f.next<WorkerReady>();
    seen[ready.worker] = argument_of(ready.pid, "--gpu");
    if (i == 1) REQUIRE(::kill(pid_t(ready.pid), SIGKILL) == 0);
  }
  CHECK(seen == std::map<std::int64_t, std::string>{{0, "4"}, {1, "7"}});
  const std::int64_t dead = f.next<WorkerEnded>().worker;
  const auto heir = f.next<WorkerReady>();
  CHECK(argument_of(heir.pid, "--gpu") == seen.at(dead));
}

TEST_CASE("a program that a worker runs sees the worker's GPU alone", "[executor][gpu]") {
  Fixture f;
  f.options.gpus = {"GPU-5a"};
  f.options.setup.trial = {{"kind", "command"}, {"command", {"sh", "-c", "{script}"}}};
  f.options.setup.parameters = {{"script", ""}};
  f.start(1);
  trial::PieceOrder run = order(0);
  run.params = {
      {"script", R"(test $CUDA_VISIBLE_DEVICES = GPU-5a && echo '{"metric":"value","step":1,"value":5}' >&3)"}};
  run.folder = f.folder.path() / "a1";
  f.executor->send(f.next<WorkerReady>().worker, protocol::Assign{run});
  const trial::PieceResult result = f.next<ResultCame>().result;
  INFO(result.message);
  REQUIRE(result.outcome == trial::Outcome::completed);
  CHECK(result.reports.back().metrics.front().value == 5);
}

TEST_CASE("more workers than places on GPUs are refused before one is started", "[executor][gpu]") {
  Fixture f;
  f.options.gpus = {"0"};
  f.options.gpu_share = 0.4;
  CHECK_THROWS_WITH(f.start(3), Contains("resources.gpu_share: 3 workers of 0.4 of a GPU each do not fit on 1 GPU"));
}

}  // namespace local_executor_test
