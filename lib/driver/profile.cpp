// SPDX-License-Identifier: Apache-2.0
#include "driver/profile.hpp"

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
#include "trial/json.hpp"
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

/// Runs `binary --profile` to its end. @return wait()'s status
int run_worker(const std::filesystem::path& binary, int question, int answer) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, question, 0);
  ::posix_spawn_file_actions_adddup2(&actions, answer, 1);
  std::string texts[] = {binary.string(), "--profile"};
  char* arguments[] = {texts[0].data(), texts[1].data(), nullptr};
  pid_t child = -1;
  const int fault = ::posix_spawn(&child, binary.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) {
    throw Error(ErrorKind::no_worker,
                "cannot start worker '" + binary.string() + "': " + std::generic_category().message(fault));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

[[noreturn]] void fail(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    throw Error(ErrorKind::no_worker,
                "the worker was killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")",
                number == SIGKILL ? "memory may have run out: try a smaller --batch" : "");
  }
  const bool is_usage = WEXITSTATUS(status) == 2;
  throw Error(is_usage ? ErrorKind::usage : ErrorKind::no_worker, "the trial could not be profiled, as said above");
}

Json question_of(const spec::StudySpec& spec, const trial::ProfileOptions& options) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(0);
  order.to_step = 1;
  order.seed = spec.seed;
  order.params = Json::object();
  return {{"setup", trial::to_json(spec::work_setup(spec, {}))},
          {"order", trial::to_json(order)},
          {"steps", options.steps},
          {"warmup", options.warmup}};
}

}  // namespace

trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary) {
  if (spec.kind != "train") {
    throw Error(ErrorKind::usage, "a trial of kind '" + spec.kind + "' has no layers to profile",
                "profile a study of kind train");
  }
  std::error_code none;
  const std::filesystem::path binary =
      worker_binary.empty() ? std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "dlrun-worker"
                            : worker_binary;
  executor::require_worker_program(binary);
  const File question = file_in_memory();
  const File answer = file_in_memory();
  std::fputs(to_text(question_of(spec, options)).c_str(), question.get());
  std::rewind(question.get());
  const int status = run_worker(binary, ::fileno(question.get()), ::fileno(answer.get()));
  if (status != 0) fail(status);
  try {
    return trial::model_profile(Json::parse(content_of(answer.get())));
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::no_worker, std::string("the worker answered no profile: ") + fault.what());
  }
}

}  // namespace dlrun::driver
