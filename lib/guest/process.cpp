// SPDX-License-Identifier: Apache-2.0
#include "guest/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "plugin/found.hpp"
#include "plugin/limits.hpp"
#include "process/ends.hpp"
#include "util/error.hpp"

namespace dlrun::guest {

namespace {

constexpr int kChannel = 3;  ///< descriptor of the plugin's process

const char* help_of(plugin::Kind kind) {
  if (kind == plugin::Kind::exporter) return "nothing was written, and the study is as it was";
  if (kind == plugin::Kind::executor)
    return "the study is whole: `dlrun resume` goes on with it, and --executor local without the plugin";
  return "the study is whole: `dlrun resume` goes on with it, and --amend takes another plugin";
}

std::filesystem::path program_of(const Limits& limits) {
  std::error_code none;
  return limits.program.empty() ? std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "dlrun-guest"
                                : limits.program;
}

}  // namespace

Limits limits_of_environment() {
  Limits limits;
  limits.deadline = plugin::deadline_of_environment(limits.deadline);
  limits.memory_mb = std::int64_t(plugin::memory_of_environment(double(limits.memory_mb)));
  return limits;
}

Process::Process(Guest guest, Limits limits) : guest_(std::move(guest)), limits_(std::move(limits)) {}

Json Process::call(const Json& request) {
  require_sound();
  if (!channel_.is_open()) start();
  return exchange(request, request.at("call").get<std::string>());
}

void Process::ask(const Json& request) {
  require_sound();
  if (!channel_.is_open()) start();
  send(request, request.at("call").get<std::string>());
}

std::optional<Json> Process::fetch_answer(std::chrono::milliseconds most) {
  require_sound();
  const Deadline until = std::chrono::steady_clock::now() + most;
  Json answer;
  const Outcome outcome = channel_.receive(answer, std::min(until, deadline_));
  if (outcome == Outcome::late && until < deadline_) return std::nullopt;
  if (outcome != Outcome::done) fail(outcome);
  return result_of(std::move(answer));
}

void Process::require_sound() const {
  if (!fault_.empty()) throw Error(ErrorKind::outside, fault_, help_of(guest_.kind));
}

void Process::refuse(const std::string& fault) {
  fault_ = fmt::format("plugin '{}' {}", guest_.name, fault);
  channel_.close();
  child_ = process::Child();
  throw Error(ErrorKind::outside, fault_, help_of(guest_.kind));
}

void Process::start() {
  const plugin::Found& found = plugin::named(guest_.kind, guest_.name);
  const std::filesystem::path program = program_of(limits_);
  process::Ends ends = process::socket_pair();
  child_ = process::Child({.arguments = {program.string(), "--serve", guest_.name},
                           .descriptors = {{-1, 0}, {2, 1}, {ends.theirs.fd(), kChannel}},
                           .group = process::Group::own,
                           .dies_with_us = true,
                           .unblocks_signals = true});
  if (child_.fault() != 0)
    throw Error(ErrorKind::outside, fmt::format("cannot start '{}': {}", program.string(),
                                                std::generic_category().message(child_.fault())));
  channel_ = Channel(std::move(ends.ours));
  std::string told = std::move(unsent_);
  unsent_.clear();
  exchange({{"call", "open"},
            {"file", found.file.string()},
            {"kind", plugin::name_of(guest_.kind)},
            {"memory", guest_.kind == plugin::Kind::executor ? 0 : limits_.memory_mb * 1'000'000},
            {"options", guest_.options},
            {"setting", guest_.setting}},
           "its constructor");
  unsent_ = std::move(told);
}

Json Process::exchange(const Json& request, const std::string& what) {
  send(request, what);
  Json answer;
  const Outcome outcome = channel_.receive(answer, deadline_);
  if (outcome != Outcome::done) fail(outcome);
  return result_of(std::move(answer));
}

void Process::send(const Json& request, const std::string& what) {
  asked_ = what;
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(limits_.deadline));
  append_frame(unsent_, request);
  const Outcome outcome = channel_.send(unsent_, deadline_);
  unsent_.clear();
  if (outcome != Outcome::done) fail(outcome);
}

Json Process::result_of(Json answer) {
  const bool is_fault = answer.is_object() && answer.contains("fault");
  if (is_fault) refuse(fmt::format("failed in {}: {}", answer.value("in", asked_), answer["fault"].get<std::string>()));
  if (!answer.is_object() || !answer.contains("result")) fail(Outcome::damaged);
  return std::move(answer["result"]);
}

void Process::fail(Outcome outcome) {
  if (outcome == Outcome::late) refuse(fmt::format("gave no answer within {:g} s in {}", limits_.deadline, asked_));
  if (outcome == Outcome::too_long) refuse(fmt::format("gave an answer of more than 1 GiB in {}", asked_));
  if (outcome == Outcome::damaged) refuse(fmt::format("gave a damaged answer in {}", asked_));
  child_.signal(SIGTERM);  // in case only its socket was closed
  child_.finish();
  refuse(fmt::format("ended by {} in {}", process::end_text(child_.status()), asked_));
}

}  // namespace dlrun::guest
