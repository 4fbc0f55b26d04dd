// SPDX-License-Identifier: Apache-2.0
#include "guest/guest_executor.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "util/utf8.hpp"

namespace dlrun::guest {

namespace {

constexpr std::size_t kLongestHandle = 4096;
constexpr std::chrono::milliseconds kLong{60'000};

Json to_json(const WorkerOrder& worker) {
  return {{"name", worker.name},          {"command", worker.command}, {"environment", worker.environment},
          {"log", worker.log.string()},   {"cores", worker.cores},     {"gpus", worker.gpus},
          {"memory_mb", worker.memory_mb}};
}

bool is_state(const Json& state) {
  if (!state.is_array() || state.size() != 3 || !state[0].is_number_integer() || !state[2].is_string()) return false;
  const int phase = state[0].get<int>();
  return phase >= int(WorkerPhase::waiting) && phase <= int(WorkerPhase::ended) &&
         (state[1].is_null() || state[1].is_number_integer()) && is_utf8(state[2].get<std::string>());
}

}  // namespace

GuestExecutor::GuestExecutor(const std::string& name, Json options, Limits limits)
    : process_({.kind = plugin::Kind::executor, .name = name, .options = std::move(options), .setting = Json::object()},
               std::move(limits)) {}

void GuestExecutor::start(const WorkerOrder& worker, Started callback) {
  process_.ask({{"call", "start"}, {"worker", to_json(worker)}});
  read_ = [this, callback = std::move(callback)](const Json& answer) { callback(handle_from(answer)); };
}

void GuestExecutor::state(const std::vector<std::string>& handles, Known callback) {
  process_.ask({{"call", "state"}, {"handles", handles}});
  read_ = [this, count = handles.size(), callback = std::move(callback)](const Json& answer) {
    callback(states_from(answer, count));
  };
}

void GuestExecutor::stop(const std::string& handle, Stopped callback) {
  process_.ask({{"call", "stop"}, {"handle", handle}});
  read_ = [callback = std::move(callback)](const Json&) { callback(); };
}

bool GuestExecutor::fetch_answer(std::chrono::milliseconds most) {
  const auto answer = process_.fetch_answer(most);
  if (!answer) return false;
  std::exchange(read_, nullptr)(*answer);
  return true;
}

void GuestExecutor::wait() {
  while (is_asked() && !fetch_answer(kLong)) {
  }
}

std::optional<std::string> GuestExecutor::handle_from(const Json& answer) {
  if (answer.is_null()) return std::nullopt;
  const std::string handle = answer.is_string() ? answer.get<std::string>() : "";
  if (handle.empty()) refuse("gave an empty handle in start");
  if (handle.size() > kLongestHandle) refuse(fmt::format("gave a handle of {} bytes in start", handle.size()));
  if (!is_utf8(handle)) refuse("gave a handle that is no valid UTF-8 in start");
  return handle;
}

std::vector<WorkerState> GuestExecutor::states_from(const Json& answer, std::size_t count) {
  if (!answer.is_array() || answer.size() != count)
    refuse(fmt::format("gave {} states for {} workers", answer.size(), count));
  std::vector<WorkerState> states;
  for (const Json& state : answer) {
    if (!is_state(state)) refuse("gave a state that is none in state");
    states.push_back({WorkerPhase(state[0].get<int>()),
                      state[1].is_null() ? std::nullopt : std::optional(state[1].get<int>()), state[2]});
  }
  return states;
}

}  // namespace dlrun::guest
