// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin_contract.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <istream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "util/descriptor.hpp"
#include "util/error.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

namespace {

/// Standard output for the verdicts alone: a plugin that prints writes to standard error from now on.
Descriptor take_standard_output() {
  Descriptor own(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!own.is_open() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw Error(ErrorKind::outside, "cannot keep standard output: " + std::generic_category().message(errno));
  return own;
}

/// Without a buffer, which would be lost with the process.
void write_line(const Descriptor& file, std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(file.fd(), line.data(), line.size());
    if (written < 0 && errno != EINTR)
      throw Error(ErrorKind::outside, "cannot write the verdicts: " + std::generic_category().message(errno));
    if (written > 0) line.remove_prefix(std::size_t(written));
  }
}

/// SIGALRM after so many seconds; 0: never.
void set_deadline(double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = time_t(seconds);
  timer.it_value.tv_usec = suseconds_t((seconds - std::floor(seconds)) * 1e6);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void answer_plugin_test(std::istream& question, const std::filesystem::path& library) {
  const std::string text(std::istreambuf_iterator<char>(question), {});
  const trial::PluginTest test = trial::plugin_test(parse_json(text, "the test of a plugin"));
  const Descriptor answers = take_standard_output();
  test_plugin(library.empty() ? program_folder() : library, test, [&](const trial::PluginVerdict& verdict) {
    set_deadline(verdict.has_begun ? test.deadline : 0);
    write_line(answers, to_text(trial::to_json(verdict)) + '\n');
  });
}

}  // namespace dlrun::worker
