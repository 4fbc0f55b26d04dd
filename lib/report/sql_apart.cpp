// SPDX-License-Identifier: Apache-2.0
// Queries of others run in a child process: one call of one SQL function can take a minute (printf with a width of two
// thousand million), and SQLite looks at a deadline only between steps. The child sends frames (length, MessagePack)
// through a pipe; this process reads them until the deadline, then kills it.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>

#include "report/opened.hpp"
#include "report/sandbox.hpp"
#include "util/error.hpp"
#include "util/memory.hpp"

namespace dlrun::report {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGrace{500};  ///< time after its deadline, for a child that says what went wrong
constexpr int kBetweenLooks = 50;                 ///< milliseconds between looks at whether it was cancelled
constexpr std::int64_t kBesideSqlite = 32 << 20;  ///< bytes for the row at hand and its frame
constexpr const char* kStarted = "started";       ///< the studies are open, the query begins
constexpr const char* kEnded = "ended";           ///< all rows were sent

/// A pipe whose ends are closed with the object.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(ErrorKind::outside, "cannot make a pipe: " + std::generic_category().message(errno));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// ---- the child ----

void send(int fd, const Json& message) {
  std::string frame(sizeof(std::uint32_t), '\0');
  Json::to_msgpack(message, frame);
  const auto length = std::uint32_t(frame.size() - sizeof(std::uint32_t));
  std::memcpy(frame.data(), &length, sizeof length);
  for (std::string_view rest = frame; !rest.empty();) {
    const ssize_t done = ::write(fd, rest.data(), rest.size());
    if (done < 0 && errno != EINTR) ::_exit(1);
    if (done > 0) rest.remove_prefix(std::size_t(done));
  }
}

struct Question {
  std::filesystem::path store;
  std::vector<std::string> studies;
  std::string statement;
  SqlOptions options;
};

void answer(const Question& question, int fd) {
  try {
    limit_own_memory(question.options.memory + kBesideSqlite);  // from outside of SQLite, which has a limit of its own
    Sandbox sandbox(question.store, question.studies, question.options);
    send(fd, kStarted);
    sandbox.execute(
        question.statement,
        [&](const std::vector<std::string>& names) {
          send(fd, {{"columns", names}});
        },
        [&](const std::vector<Json>& row) { send(fd, row); });
    send(fd, kEnded);
  } catch (const Error& fault) {
    send(fd, {{"kind", int(fault.kind())}, {"what", fault.what()}, {"hint", fault.hint()}, {"place", fault.place()}});
  } catch (const std::bad_alloc&) {
    send(fd, {{"memory", true}});
  }
}

[[noreturn]] void be_child(const Question& question, int fd, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (question.options.is_cancelled != nullptr) std::signal(SIGINT, SIG_IGN);  // the parent has it
  if (::getppid() == parent) answer(question, fd);
  ::_exit(0);
}

// ---- the parent ----

/// The child; killed and reaped with the object.
class Child {
 public:
  explicit Child(const Question& question) : options_(question.options) {
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) be_child(question, pipe_.ends[1], parent);
    if (pid_ < 0) throw Error(ErrorKind::outside, "cannot start a process: " + std::generic_category().message(errno));
    pipe_.close(1);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Table table() {
    while (!is_ended_) {
      read_some();
      take_frames();
    }
    return std::move(table_);
  }

 private:
  /// -1: the query has not begun, and opening has deadlines of its own.
  int milliseconds_left() const {
    if (options_.is_cancelled != nullptr && *options_.is_cancelled != 0)
      throw Error(ErrorKind::interrupted, "the query was cancelled");
    if (!deadline_) return options_.is_cancelled == nullptr ? -1 : kBetweenLooks;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
    if (left <= 0) refuse_slow(options_);
    return int(std::min<std::int64_t>(left, options_.is_cancelled == nullptr ? 60'000 : kBetweenLooks));
  }

  void read_some() {
    pollfd item{pipe_.ends[0], POLLIN, 0};
    if (::poll(&item, 1, milliseconds_left()) <= 0) return;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(pipe_.ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) refuse_large(options_);  // the child sent neither its last word nor a fault
    bytes_.append(buffer.data(), std::size_t(got));
  }

  void take_frames() {
    std::size_t begin = 0;
    for (std::uint32_t length = 0; bytes_.size() - begin >= sizeof length; begin += sizeof length + length) {
      std::memcpy(&length, bytes_.data() + begin, sizeof length);
      if (bytes_.size() - begin - sizeof length < length) break;
      handle(Json::from_msgpack(std::string_view(bytes_).substr(begin + sizeof length, length)));
    }
    bytes_.erase(0, begin);
  }

  void handle(Json frame) {
    if (frame == kStarted) {
      deadline_ = Clock::now() + kGrace + std::chrono::milliseconds(std::int64_t(options_.seconds * 1000));
    } else if (frame == kEnded) {
      is_ended_ = true;
    } else if (frame.is_array()) {
      table_.rows.push_back(std::move(frame.get_ref<Json::array_t&>()));
    } else if (frame.contains("columns")) {
      table_.columns = frame["columns"].get<std::vector<std::string>>();
    } else {
      fail(frame);
    }
  }

  [[noreturn]] void fail(const Json& frame) const {
    if (frame.contains("memory")) refuse_large(options_);
    throw Error(ErrorKind(frame.at("kind").get<int>()), frame.at("what"), frame.at("hint"), frame.at("place"));
  }

  SqlOptions options_;
  Pipe pipe_;
  pid_t pid_ = -1;
  std::optional<Clock::time_point> deadline_;
  std::string bytes_;
  Table table_;
  bool is_ended_ = false;
};

}  // namespace

Table sql_apart(const std::filesystem::path& store, const std::vector<std::string>& studies,
                const std::string& statement, const SqlOptions& options) {
  return Child({store, chosen(store, studies), statement, options}).table();
}

}  // namespace dlrun::report
