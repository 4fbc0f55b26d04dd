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
#include "samplers/sampler.hpp"
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

std::string killed_by(int status) {
  const int number = WTERMSIG(status);
  return "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

/// @param done  what the trial could not be
[[noreturn]] void fail(int status, const std::string& done) {
  if (WIFSIGNALED(status)) {
    throw Error(ErrorKind::no_worker, "the worker was " + killed_by(status),
                WTERMSIG(status) == SIGKILL ? "memory may have run out: try a smaller --batch" : "");
  }
  const bool is_usage = WEXITSTATUS(status) == 2;
  throw Error(is_usage ? ErrorKind::usage : ErrorKind::no_worker, "the trial could not be " + done + ", as said above");
}

void require_train(const spec::StudySpec& spec, const std::string& purpose) {
  if (spec.kind == "train") return;
  throw Error(ErrorKind::usage, "a trial of kind '" + spec.kind + "' has no layers to " + purpose,
              purpose + " a study of kind train");
}

std::filesystem::path program_of(const std::filesystem::path& worker_binary) {
  std::error_code none;
  std::filesystem::path binary =
      worker_binary.empty() ? std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "dlrun-worker"
                            : worker_binary;
  executor::require_worker_program(binary);
  return binary;
}

trial::PieceOrder first_order(const spec::StudySpec& spec) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(0);
  order.to_step = 1;
  order.seed = spec.seed;
  order.params = Json::object();
  return order;
}

struct Answer {
  int status = 0;  ///< of wait()
  std::string text;
};

Answer ask(const Json& question, const std::filesystem::path& binary) {
  const File asked = file_in_memory(), answered = file_in_memory();
  std::fputs(to_text(question).c_str(), asked.get());
  std::rewind(asked.get());
  const int status = run_worker(binary, ::fileno(asked.get()), ::fileno(answered.get()));
  return {status, content_of(answered.get())};
}

Json parse(const Answer& answer) {
  try {
    return Json::parse(answer.text);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::no_worker, std::string("the worker gave no answer: ") + fault.what());
  }
}

/// Two examples on the CPU, in a precision that it has.
Json build_question(const spec::StudySpec& spec, const Json& sets) {
  trial::WorkSetup setup = spec::work_setup(spec, {});
  trial::PieceOrder order = first_order(spec);
  order.sets = sets.is_null() ? Json::object() : sets;
  order.sets["batch_size"] = 2;
  if (setup.device != "cpu") order.sets["precision"] = "fp32";
  setup.device = "cpu";
  if (spec.rules.members.folds > 1) order.sets["data.split.fold"] = 0;
  return {{"setup", trial::to_json(setup)}, {"order", trial::to_json(order)}};
}

}  // namespace

trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary) {
  require_train(spec, "profile");
  const Answer answer = ask({{"setup", trial::to_json(spec::work_setup(spec, {}))},
                             {"order", trial::to_json(first_order(spec))},
                             {"steps", options.steps},
                             {"warmup", options.warmup}},
                            program_of(worker_binary));
  if (answer.status != 0) fail(answer.status, "profiled");
  return trial::model_profile(parse(answer));
}

trial::BuiltModel build(const spec::StudySpec& spec, const Json& sets, const std::filesystem::path& worker_binary) {
  require_train(spec, "build");
  const Answer answer = ask(build_question(spec, sets), program_of(worker_binary));
  if (WIFSIGNALED(answer.status)) return {.place = "worker", .fault = killed_by(answer.status)};
  if (answer.status != 0) fail(answer.status, "built");
  return trial::built_model(parse(answer));
}

Json first_sets(const spec::StudySpec& spec) {
  const auto values = samplers::make_sampler(spec.sampler, spec.space, spec.seed)->propose(0);
  return values ? spec.space.sets(*values) : Json::object();
}

}  // namespace dlrun::driver
