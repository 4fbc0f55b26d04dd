// SPDX-License-Identifier: Apache-2.0
// A worker process: its command line is in arguments.hpp; `dlrun profile` asks it with `--profile`, `dlrun plugins
// test` with `--test-plugin`; a worker starts the keeper of a program with `--keep`, which starts those on several
// hosts by `--group` and `--rank`; the processes of a training of several ranks are started by `--gang`.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "arguments.hpp"
#include "programs/group.hpp"
#include "programs/keeper.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/place_prefix.hpp"
#include "util/version.hpp"
#include "worker/plugin_contract.hpp"
#include "worker/profile.hpp"
#include "worker/trainer.hpp"
#include "worker/worker.hpp"

namespace {

int serve(const dlrun::worker::Options& options) {
  // The socket's end says first that the driver is gone; this is for a worker whose serving thread is stuck.
  if (options.endpoint.empty()) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  dlrun::arithmetic::require();
  return dlrun::worker::serve_driver(options);
}

/// A process of a gang; without a number the first one of its host.
int follow(const std::vector<std::string>& words) {
  dlrun::arithmetic::require();
  const auto process = words.empty() ? std::nullopt : std::optional(int(std::strtol(words[0].c_str(), nullptr, 10)));
  return dlrun::worker::follow(dlrun::worker::program_folder(), process);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would take the exit codes of our children from us
  const std::string_view first = argc == 2 ? argv[1] : "";
  const bool keeps = (argc == 2 || argc == 3) && std::string_view(argv[1]) == "--keep";
  if (first == "--version") {
    std::printf("dlrun-worker %s\n", dlrun::version());
    return 0;
  }
  if (first == "--help" || first == "-h") {
    std::printf("%s\n", dlrun::usage_of_worker());
    return 0;
  }
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  const std::string_view group = argc > 2 ? argv[1] : "";
  try {
    int code = 0;
    if (group == "--group") {
      code = dlrun::programs::lead_group(words);
    } else if (group == "--rank") {
      code = dlrun::programs::run_rank(words);
    } else if (first == "--gang" || group == "--gang") {
      code = follow(words);
    } else if (keeps) {
      code = dlrun::programs::keep(argc == 3 ? std::optional(std::stoi(argv[2])) : std::nullopt);
    } else if (first == "--profile") {
      dlrun::worker::answer_profile(std::cin, std::cout);
      std::cout.flush();
    } else if (first == "--test-plugin") {
      dlrun::worker::answer_plugin_test(std::cin);
    } else {
      code = serve(dlrun::read_arguments(argc, argv));
    }
    std::fflush(nullptr);
    ::_exit(code);  // destructors of a trainer library have nothing to save
  } catch (const dlrun::Error& fault) {
    std::fprintf(stderr, "dlrun-worker: %s%s\n", dlrun::place_prefix(fault).c_str(), fault.what());
    if (!fault.hint().empty()) std::fprintf(stderr, "  help: %s\n", fault.hint().c_str());
    return fault.exit_code();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "dlrun-worker: out of memory\n");
    return static_cast<int>(dlrun::ErrorKind::outside);
  } catch (const std::system_error& fault) {
    std::fprintf(stderr, "dlrun-worker: %s\n", fault.what());
    const bool is_outside = dlrun::is_of_machine(fault.code().value());
    return static_cast<int>(is_outside ? dlrun::ErrorKind::outside : dlrun::ErrorKind::internal);
  }
}
