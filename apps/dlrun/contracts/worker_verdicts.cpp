// SPDX-License-Identifier: Apache-2.0
#include "contracts/worker_verdicts.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <sstream>
#include <system_error>

#include "driver/asking.hpp"
#include "guest/process.hpp"
#include "process/child.hpp"
#include "trial/plugin_contract.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

/// The answer of one worker program.
struct Told {
  int status = 0;  ///< as wait() gives it
  std::vector<Verdict> verdicts;
  std::string begun;  ///< name of a test that has not ended
};

/// A line that was cut off with its worker is none.
void take_line(const std::string& line, Told& told) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return;
  const trial::PluginVerdict verdict = trial::plugin_verdict(json);
  told.begun = verdict.has_begun ? verdict.test : "";
  if (!verdict.has_begun) told.verdicts.push_back({verdict.test, verdict.has_passed, verdict.detail});
}

Told ask_worker(const trial::PluginTest& test, const std::filesystem::path& binary) {
  const Descriptor asked = process::file_in_memory(to_text(trial::to_json(test))), answer = process::file_in_memory();
  process::Child child({.arguments = {binary.string(), "--test-plugin"},
                        .descriptors = {{asked.fd(), 0}, {answer.fd(), 1}},
                        .group = process::Group::own,
                        .dies_with_us = true,
                        .unblocks_signals = true});
  if (child.fault() != 0)
    throw Error(ErrorKind::no_worker, fmt::format("cannot start worker '{}': {}", binary.string(),
                                                  std::generic_category().message(child.fault())));
  child.wait();
  Told told{child.status(), {}, {}};
  std::istringstream lines(process::bytes_of(answer));
  for (std::string line; std::getline(lines, line);) take_line(line, told);
  return told;
}

std::string end_of(int status, const trial::PluginTest& test) {
  const std::string plugin = fmt::format("plugin '{}'", test.name);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fmt::format("{} took longer than {:g} seconds", plugin, test.deadline);
  return fmt::format("{} ended its process by {}", plugin, process::end_text(status));
}

[[noreturn]] void refuse_end(int status) {
  if (WIFSIGNALED(status)) throw Error(ErrorKind::no_worker, "the worker was killed by " + process::end_text(status));
  const auto kind = static_cast<ErrorKind>(WEXITSTATUS(status));
  const bool is_known = kind == ErrorKind::usage || kind == ErrorKind::outside;
  throw Error(is_known ? kind : ErrorKind::no_worker, "the plugin could not be tested, as said above");
}

}  // namespace

std::vector<Verdict> worker_verdicts(const Tested& tested) {
  const plugin::Manifest& manifest = *tested.plugin.manifest;
  trial::PluginTest test{.kind = plugin::name_of(manifest.kind), .name = manifest.name, .section = tested.section};
  test.deadline = guest::limits_of_environment().deadline;
  const std::filesystem::path binary = driver::worker_program({});
  std::vector<Verdict> verdicts;
  while (true) {
    const Told told = ask_worker(test, binary);
    verdicts.insert(verdicts.end(), told.verdicts.begin(), told.verdicts.end());
    if (told.begun.empty() && told.status == 0) return verdicts;
    if (told.begun.empty()) refuse_end(told.status);
    verdicts.push_back({told.begun, false, end_of(told.status, test)});
    test.first = std::int64_t(verdicts.size());
  }
}

}  // namespace dlrun::cli
