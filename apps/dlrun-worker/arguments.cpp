// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <sched.h>

#include <boost/program_options.hpp>
#include <charconv>
#include <sstream>
#include <string>

#include "util/error.hpp"

namespace dlrun {

namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "usage: dlrun-worker --endpoint FILE [--scratch DIR] [--cores 0,1] [--gpu NAME] [--host-name NAME]\n"
    "                    joins the driver that wrote FILE, which is studies/NAME.endpoint of its store, after:\n"
    "                    dlrun tune study.yaml --listen ADDRESS; --scratch where the store is not seen: it works in a\n"
    "                    new folder in DIR, and artifacts travel through the driver. The host's name tells whose "
    "fault\n"
    "                    failures are\n"
    "       dlrun-worker --socket PATH --worker N   (as dlrun starts it; not for the command line)";

/// A text or path of the options. Boost reads a path up to its first space.
template <class Text>
auto into(Text& place) {
  return po::value<std::string>()->notifier([&place](const std::string& value) { place = value; });
}

po::options_description options_of(worker::Options& options) {
  po::options_description all;
  auto add = all.add_options();
  add("socket", into(options.socket));
  add("worker", po::value(&options.worker));
  add("endpoint", into(options.endpoint));
  add("scratch", into(options.scratch));
  add("job", into(options.job));
  add("cores", into(options.cores));
  add("host-name", into(options.host));
  add("gpu", into(options.gpu));
  add("cgroup", into(options.cgroup));
  return all;
}

[[noreturn]] void refuse(const std::string& fault) { throw Error(ErrorKind::usage, fault, kUsage); }

/// Numbers with commas between them, each of a core that a mask can have; empty: none.
bool are_cores(const std::string& text) {
  std::istringstream list(text);
  for (std::string core; std::getline(list, core, ',');) {
    unsigned number = CPU_SETSIZE;
    const char* const end = core.data() + core.size();
    const auto [rest, fault] = std::from_chars(core.data(), end, number);
    if (fault != std::errc() || rest != end || number >= CPU_SETSIZE) return false;
  }
  return true;
}

void check(const po::variables_map& given, const worker::Options& options) {
  const auto is_given = [&](const char* name) { return given.count(name) > 0; };
  if (is_given("socket") == is_given("endpoint")) refuse("one of '--socket' and '--endpoint' is needed");
  if (is_given("socket") != is_given("worker")) refuse("'--socket' and '--worker' belong together");
  if (options.socket.empty() && options.endpoint.empty()) refuse("the name of the socket or endpoint is empty");
  if (!are_cores(options.cores)) refuse("'--cores " + options.cores + "' is no list of cores, such as 0,1");
  if (is_given("worker") && options.worker < 0) refuse("the number of a worker is at least 0");
  if (!is_given("scratch")) return;
  if (options.scratch.empty()) refuse("the folder of '--scratch' is empty");  // a variable that is not set
  if (is_given("socket")) refuse("'--scratch' is for a worker that joins by '--endpoint'");
}

}  // namespace

const char* usage_of_worker() { return kUsage; }

worker::Options read_arguments(int argc, char** argv) {
  using Style = po::command_line_style::style_t;
  worker::Options options;
  try {
    po::variables_map given;
    const auto all = options_of(options);
    const int style = Style::allow_long | Style::long_allow_next | Style::long_allow_adjacent;
    po::store(po::command_line_parser(argc, argv).options(all).positional({}).style(style).run(), given);
    po::notify(given);
    check(given, options);
  } catch (const po::error& fault) {
    refuse(fault.what());
  }
  return options;
}

}  // namespace dlrun
