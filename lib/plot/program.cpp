// SPDX-License-Identifier: Apache-2.0
#include "plot/program.hpp"

#include <cerrno>
#include <system_error>

#include "process/child.hpp"
#include "util/error.hpp"

namespace dlrun::plot {

namespace {

constexpr std::chrono::seconds kDeadline{60};

}  // namespace

std::optional<Said> run_program(std::vector<std::string> arguments, const std::string& input) {
  const auto in = process::file_in_memory(input), out = process::file_in_memory(), error = process::file_in_memory();
  process::Child child({.arguments = arguments, .descriptors = {{in.fd(), 0}, {out.fd(), 1}, {error.fd(), 2}}});
  if (child.fault() == ENOENT) return std::nullopt;
  if (child.fault() != 0) {
    throw Error(ErrorKind::outside,
                "cannot start " + arguments[0] + ": " + std::generic_category().message(child.fault()));
  }
  child.finish(kDeadline);
  const int status = child.status();
  return Said{WIFEXITED(status) && WEXITSTATUS(status) == 0, process::bytes_of(out), process::bytes_of(error)};
}

}  // namespace dlrun::plot
