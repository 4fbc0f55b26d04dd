// SPDX-License-Identifier: Apache-2.0
// The process of a plugin of the driver.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "guest/channel.hpp"
#include "plugin/manifest.hpp"
#include "process/child.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

/// Limits of a plugin's process.
struct Limits {
  double deadline = 60;  ///< seconds for an answer (DLRUN_PLUGIN_DEADLINE)
  /// Megabytes beyond those that it begins with (DLRUN_PLUGIN_MEMORY_MB). Executors have no limit, because the programs
  /// that they start would inherit it.
  std::int64_t memory_mb = 2048;
  std::filesystem::path program = {};  ///< dlrun-guest; empty: beside this program
};

/// @throws Error(usage) for a variable of the environment that is no such limit
Limits limits_of_environment();

/// A plugin to be opened.
struct Guest {
  plugin::Kind kind = plugin::Kind::sampler;
  std::string name;
  Json options;  ///< the section of the study, without `op`
  Json setting;  ///< further facts that plugins of its kind are made with
};

/// A plugin in a process of its own: without descriptors of ours, with limited memory, ended with this object or with
/// us. The process starts with the first call. Any fault is final: later calls throw the same error again.
class Process {
 public:
  explicit Process(Guest guest, Limits limits = limits_of_environment());

  /// Keeps news, which go out before the next call. The plugin has no answer to them.
  void tell(const Json& news) { append_frame(unsent_, news); }
  /// Asks, and waits for the answer.
  /// @throws Error(usage) if there is no such plugin; Error(outside) naming plugin and call if the process ends, gives
  /// no answer in time or a damaged one, or if the plugin throws
  Json call(const Json& request);
  /// Asks without waiting. fetch_answer() has to fetch the answer before the next question. @throws as call()
  void ask(const Json& request);
  /// The answer to ask(); nullopt: it has not come within `most`, and its deadline is not over. @throws as call()
  std::optional<Json> fetch_answer(std::chrono::milliseconds most);
  /// Ends the process for an answer that breaks the contract. @throws Error(outside), always
  [[noreturn]] void refuse(const std::string& fault);

  const std::string& name() const { return guest_.name; }
  /// -1: it has not started.
  pid_t pid() const { return child_.pid(); }

 private:
  void start();
  Json exchange(const Json& request, const std::string& what);
  void send(const Json& request, const std::string& what);
  Json result_of(Json answer);
  void require_sound() const;
  [[noreturn]] void fail(Outcome outcome);

  Guest guest_;
  Limits limits_;
  process::Child child_;
  Channel channel_;
  std::string unsent_;
  std::string fault_;
  std::string asked_;  ///< call that was sent last
  Deadline deadline_;  ///< for the answer
};

}  // namespace dlrun::guest
