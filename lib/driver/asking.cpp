// SPDX-License-Identifier: Apache-2.0
#include "driver/asking.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "executor/local_executor.hpp"
#include "trial/use.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// A file in memory: neither side waits for the other, as with pipes.
File file_in_memory() {
  const int fd = ::memfd_create("dlrun-profile", MFD_CLOEXEC);
  File file(fd < 0 ? nullptr : ::fdopen(fd, "w+"), std::fclose);
  if (file != nullptr) return file;
  throw Error(ErrorKind::outside, "cannot make a file in memory: " + std::generic_category().message(errno));
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  return text;
}

/// Descriptors of the worker's process.
struct Channels {
  int question, answer, rows;
};

/// Out of the way of those that the worker has: the order in which they are put into place must not matter.
int moved_up(int fd) {
  const int moved = fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, trial::kRowsDescriptor + 1);
  if (fd < 0 || moved >= 0) return moved;
  throw Error(ErrorKind::outside, "cannot pass on a file: " + std::generic_category().message(errno));
}

/// Runs `binary --profile` to its end. @return wait()'s status
int run_worker(const std::filesystem::path& binary, const Channels& channels) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const int rows = moved_up(channels.rows);
  ::posix_spawn_file_actions_adddup2(&actions, channels.question, 0);
  ::posix_spawn_file_actions_adddup2(&actions, channels.answer, 1);
  if (rows >= 0) ::posix_spawn_file_actions_adddup2(&actions, rows, trial::kRowsDescriptor);
  std::string texts[] = {binary.string(), "--profile"};
  char* arguments[] = {texts[0].data(), texts[1].data(), nullptr};
  pid_t child = -1;
  const int fault = ::posix_spawn(&child, binary.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (rows >= 0) ::close(rows);
  if (fault != 0) {
    throw Error(ErrorKind::no_worker,
                "cannot start worker '" + binary.string() + "': " + std::generic_category().message(fault));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::filesystem::path worker_program(const std::filesystem::path& chosen) {
  std::error_code none;
  std::filesystem::path binary =
      chosen.empty() ? std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "dlrun-worker" : chosen;
  executor::require_worker_program(binary);
  return binary;
}

Answer ask(const Json& question, const std::filesystem::path& binary, int rows) {
  const File asked = file_in_memory(), answered = file_in_memory();
  std::fputs(to_text(question).c_str(), asked.get());
  std::rewind(asked.get());
  const int status = run_worker(binary, {::fileno(asked.get()), ::fileno(answered.get()), rows});
  return {status, content_of(answered.get())};
}

Json parsed(const Answer& answer) {
  try {
    return Json::parse(answer.text);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::no_worker, std::string("the worker gave no answer: ") + fault.what());
  }
}

std::string killed_by(int status) {
  const int number = WTERMSIG(status);
  return "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

void refuse_status(int status, const std::string& done) {
  if (WIFSIGNALED(status)) {
    throw Error(ErrorKind::no_worker, "the worker was " + killed_by(status),
                WTERMSIG(status) == SIGKILL ? "memory may have run out: try a smaller --batch" : "");
  }
  const auto kind = static_cast<ErrorKind>(WEXITSTATUS(status));
  const bool is_known = kind == ErrorKind::usage || kind == ErrorKind::store || kind == ErrorKind::outside;
  throw Error(is_known ? kind : ErrorKind::no_worker, "the trial could not be " + done + ", as said above");
}

void require_train(const spec::StudySpec& spec, const std::string& purpose) {
  if (spec.kind == "train") return;
  throw Error(ErrorKind::usage, "a trial of kind '" + spec.kind + "' has no layers to " + purpose,
              purpose + " a study of kind train");
}

}  // namespace dlrun::driver
