// SPDX-License-Identifier: Apache-2.0
// A worker process. dlrun starts it with `--socket PATH --worker N [--cores LIST] [--gpu NAME] [--cgroup DIR]`; a
// person on another machine joins a driver with `--endpoint FILE`; `dlrun profile` asks it with `--profile`.
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

#include "util/arithmetic.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/version.hpp"
#include "worker/profile.hpp"
#include "worker/worker.hpp"

namespace {

constexpr const char* kUsage =
    "usage: dlrun-worker --endpoint FILE [--scratch DIR] [--cores 0,1] [--gpu NAME] [--host-name NAME]\n"
    "                    joins the driver that wrote FILE, which is studies/NAME.endpoint of its store, after:\n"
    "                    dlrun tune study.yaml --listen ADDRESS; --scratch where the store is not seen: it works in a\n"
    "                    new folder in DIR, and artifacts travel through the driver. The host's name tells whose "
    "fault\n"
    "                    failures are\n"
    "       dlrun-worker --socket PATH --worker N   (as dlrun starts it; not for the command line)";

/// False: the arguments make no sense.
bool read(int argc, char** argv, dlrun::worker::Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    if (name == "--socket") {
      options.socket = value;
    } else if (name == "--endpoint") {
      options.endpoint = value;
    } else if (name == "--scratch") {
      if (value.empty()) return false;  // a variable that is not set
      options.scratch = value;
    } else if (name == "--job") {
      options.job = value;
    } else if (name == "--cores") {
      options.cores = value;
    } else if (name == "--host-name") {
      options.host = value;
    } else if (name == "--gpu") {
      options.gpu = value;
    } else if (name == "--cgroup") {
      options.cgroup = value;
    } else if (name == "--worker") {
      const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), options.worker);
      if (fault != std::errc() || end != value.data() + value.size()) return false;
    } else {
      return false;
    }
  }
  const bool has_one = options.socket.empty() != options.endpoint.empty();
  if (!options.scratch.empty() && options.endpoint.empty()) return false;
  return argc % 2 == 1 && has_one && options.socket.empty() == (options.worker < 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc == 2 ? argv[1] : "";
  if (first == "--version") {
    std::printf("dlrun-worker %s\n", dlrun::version());
    return 0;
  }
  dlrun::worker::Options options;
  if (first != "--profile" && !read(argc, argv, options)) {
    std::fprintf(stderr, "%s\n", kUsage);
    return 2;
  }
  // The socket's end says first that the driver is gone; this is for a worker whose serving thread is stuck.
  if (options.endpoint.empty()) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  try {
    int code = 0;
    if (first == "--profile") {
      dlrun::worker::answer_profile(std::cin, std::cout);
      std::cout.flush();
    } else {
      dlrun::arithmetic::require();
      code = dlrun::worker::run(options);
    }
    std::fflush(nullptr);
    ::_exit(code);  // destructors of a trainer library have nothing to save
  } catch (const dlrun::Error& fault) {
    std::fprintf(stderr, "dlrun-worker: %s\n", fault.what());
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
