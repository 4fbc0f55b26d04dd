// SPDX-License-Identifier: Apache-2.0
#include "driver/asking.hpp"

#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

#include "executor/local_executor.hpp"
#include "process/child.hpp"
#include "storage/optuna_rows.hpp"
#include "storage/store.hpp"
#include "trial/use.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

/// Runs `binary --profile` to its end. @return wait()'s status
int run_worker(const std::filesystem::path& binary, std::vector<process::Passed> descriptors) {
  process::Child child(
      {.arguments = {std::filesystem::absolute(binary).string(), "--profile"}, .descriptors = std::move(descriptors)});
  if (child.fault() != 0) {
    throw Error(ErrorKind::no_worker,
                "cannot start worker '" + binary.string() + "': " + std::generic_category().message(child.fault()));
  }
  child.wait();
  return child.status();
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
  const auto asked = process::file_in_memory(to_text(question)), answered = process::file_in_memory();
  std::vector<process::Passed> descriptors = {{asked.fd(), 0}, {answered.fd(), 1}};
  if (rows >= 0) descriptors.push_back({rows, trial::kRowsDescriptor});
  const int status = run_worker(binary, std::move(descriptors));
  return {status, process::bytes_of(answered)};
}

Json parsed(const Answer& answer) {
  try {
    return Json::parse(answer.text);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::no_worker, std::string("the worker gave no answer: ") + fault.what());
  }
}

void refuse_status(int status, const std::string& done) {
  if (WIFSIGNALED(status)) {
    throw Error(ErrorKind::no_worker, "the worker was killed by " + process::end_text(status),
                WTERMSIG(status) == SIGKILL ? "memory may have run out: try a smaller --batch" : "");
  }
  const auto kind = static_cast<ErrorKind>(WEXITSTATUS(status));
  const bool is_known = kind == ErrorKind::usage || kind == ErrorKind::store || kind == ErrorKind::outside;
  throw Error(is_known ? kind : ErrorKind::no_worker, "the trial could not be " + done + ", as said above");
}

void require_own_work(const spec::StudySpec& spec, const std::filesystem::path& store) {
  if (spec.kind != "asked") return;
  if (storage::Store::find(store, spec.name)) storage::require_own_study(store, spec.name);
  throw Error(ErrorKind::usage, "dlrun does not carry out trials of kind asked",
              "dlrun ask " + spec.name + " gives the next one, dlrun tell takes what it measured");
}

void require_train(const spec::StudySpec& spec, const std::string& purpose) {
  if (spec.kind == "train") return;
  throw Error(ErrorKind::usage, "a trial of kind '" + spec.kind + "' has no layers to " + purpose,
              purpose + " a study of kind train");
}

}  // namespace dlrun::driver
