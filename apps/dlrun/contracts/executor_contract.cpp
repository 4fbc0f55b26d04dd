// SPDX-License-Identifier: Apache-2.0
// The contract of executors, as include/dlrun/plugin/executor.hpp states it. Programs take the place of workers.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "contracts/contract.hpp"
#include "guest/guest_executor.hpp"
#include "util/files.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::cli {

namespace {

namespace fs = std::filesystem;

using guest::GuestExecutor;
using guest::WorkerPhase;
using guest::WorkerState;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetween{20};  ///< between questions
const std::string kOddWord = "a 'b' \"c\" $HOME `d` \\ *\tz";
const std::string kForeign = "no worker has this handle";

/// A plugin at work, asked as if its answers came at once.
class Starter {
 public:
  explicit Starter(const Tested& tested, fs::path logs)
      : executor_(tested.plugin.manifest->name, tested.section), logs_(std::move(logs)) {}

  std::string start(const std::string& name, std::vector<std::string> command) {
    const auto until = deadline();
    std::optional<std::string> handle;
    const guest::WorkerOrder order{.name = "dlrun-contract-" + name,
                                   .command = std::move(command),
                                   .environment = {{"DLRUN_CONTRACT", kOddWord}},
                                   .log = logs_ / (name + ".log")};
    while (!handle) {
      if (steady_clock::now() > until) throw Broken{"it has no place for a program"};
      executor_.start(order, [&](const std::optional<std::string>& answer) { handle = answer; });
      executor_.wait();
      if (!handle) std::this_thread::sleep_for(kBetween);
    }
    return *handle;
  }

  std::vector<WorkerState> states(const std::vector<std::string>& handles) {
    std::vector<WorkerState> out;
    executor_.state(handles, [&](const std::vector<WorkerState>& answer) { out = answer; });
    executor_.wait();
    return out;
  }
  WorkerState state(const std::string& handle) { return states({handle}).at(0); }

  void stop(const std::string& handle) {
    executor_.stop(handle, [] {});
    executor_.wait();
  }

  WorkerState await(const std::string& handle, WorkerPhase phase) {
    const auto until = deadline();
    while (true) {
      WorkerState now = state(handle);
      if (now.phase == phase) return now;
      if (now.phase == WorkerPhase::ended) throw Broken{"a program ended that should run"};
      if (steady_clock::now() > until)
        throw Broken{phase == WorkerPhase::ended ? "a program does not end" : "a program does not begin"};
      std::this_thread::sleep_for(kBetween);
    }
  }

 private:
  static steady_clock::time_point deadline() {
    return steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                     std::chrono::duration<double>(guest::limits_of_environment().deadline));
  }

  GuestExecutor executor_;
  fs::path logs_;
};

/// Programs, so that one which a test leaves behind ends by itself.
std::vector<std::string> sleeping() { return {"/bin/sleep", "300"}; }
std::vector<std::string> ending(int code) { return {"/bin/sh", "-c", fmt::format("exit {}", code)}; }

std::string code_text(const WorkerState& state) {
  return state.exit_code ? fmt::format("exit code {}", *state.exit_code) : "exit code not known";
}

void require_code(const WorkerState& state, int code) {
  if (state.exit_code && *state.exit_code != code)
    throw Broken{fmt::format("a program ended with code {}, but it says {}", code, *state.exit_code)};
}

std::string check_end(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  Starter starter(tested, around.path());
  const WorkerState state = starter.await(starter.start("end", ending(7)), WorkerPhase::ended);
  require_code(state, 7);
  return code_text(state);
}

/// Words and variables arrive as they are: no shell reads them on the way.
std::string check_words(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  Starter starter(tested, around.path());
  const std::string script =
      "echo heard; [ \"$1\" = \"$DLRUN_CONTRACT\" ] && [ -z \"$2\" ] && [ $# = 3 ] && exit 5; exit 6";
  const std::string handle = starter.start("words", {"/bin/sh", "-c", script, "sh", kOddWord, "", "last"});
  const WorkerState state = starter.await(handle, WorkerPhase::ended);
  if (state.exit_code == 6) throw Broken{"words of the command or its environment changed on the way"};
  require_code(state, 5);
  const fs::path log = around.path() / "words.log";
  const bool has_log = fs::exists(log) && read_file(log).find("heard") != std::string::npos;
  return code_text(state) + (has_log ? ", its log is there" : ", no log here");
}

std::string check_stop(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  Starter starter(tested, around.path());
  const std::string handle = starter.start("stop", sleeping());
  starter.await(handle, WorkerPhase::running);
  starter.stop(handle);
  const WorkerState state = starter.await(handle, WorkerPhase::ended);
  if (state.exit_code == 0) throw Broken{"it says that a program which was stopped ended well"};
  starter.stop(handle);
  if (starter.state(handle).phase != WorkerPhase::ended) throw Broken{"a program that has ended runs again"};
  return code_text(state);
}

std::string check_unknown(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  Starter starter(tested, around.path());
  const std::string handle = starter.start("known", sleeping());
  starter.stop(kForeign);
  const auto states = starter.states({kForeign, handle, kForeign});
  starter.stop(handle);
  if (states[0].phase != WorkerPhase::ended || states[2].phase != WorkerPhase::ended)
    throw Broken{"a handle that nobody has must count as ended"};
  if (states[1].phase == WorkerPhase::ended) throw Broken{"a program ended beside a handle that nobody has"};
  return starter.states({}).empty() ? "counts as ended" : "";
}

std::string check_several(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  Starter starter(tested, around.path());
  const std::string first = starter.start("first", sleeping()), second = starter.start("second", ending(3));
  if (first == second) throw Broken{"two programs have the same handle"};
  require_code(starter.await(second, WorkerPhase::ended), 3);
  const auto states = starter.states({second, first}), turned = starter.states({first, second});
  starter.stop(first);
  const auto is_right = [](const WorkerState& ended, const WorkerState& live) {
    return ended.phase == WorkerPhase::ended && live.phase != WorkerPhase::ended;
  };
  if (!is_right(states[0], states[1]) || !is_right(turned[1], turned[0]))
    throw Broken{"states do not come in the order of their handles"};
  return "two, in the order of their handles";
}

/// The driver was killed: another process of the plugin finds the program by its handle.
std::string check_handles(const Tested& tested) {
  const TemporaryFolder around("dlrun-executor");
  std::string handle;
  {
    Starter first(tested, around.path());
    handle = first.start("later", sleeping());
    first.await(handle, WorkerPhase::running);
  }
  Starter second(tested, around.path());
  if (second.state(handle).phase == WorkerPhase::ended)
    throw Broken{"a program ends with the process of the plugin, or another process does not know its handle"};
  second.stop(handle);
  second.await(handle, WorkerPhase::ended);
  return "found and stopped by a second process";
}

}  // namespace

std::vector<Check> executor_checks(const Tested& tested) {
  std::vector<Check> checks;
  const auto add = [&](const char* name, std::string (*check)(const Tested&)) {
    checks.push_back({name, [check, &tested] { return check(tested); }});
  };
  add("a program that ends", check_end);
  add("words and environment", check_words);
  add("a program that is stopped", check_stop);
  add("a handle that nobody has", check_unknown);
  add("several programs", check_several);
  add("handles in another process", check_handles);
  return checks;
}

}  // namespace dlrun::cli
