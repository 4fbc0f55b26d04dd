// SPDX-License-Identifier: Apache-2.0
#include "plugin/opened.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "util/culprit.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::plugin {

namespace {

std::atomic<const char*> running{nullptr};

/// Names that stay where they are, for signal handlers.
const char* kept(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard lock(mutex);
  return names.insert(name).first->c_str();
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void name_culprit(int) {
  const char* name = name_of_running();
  if (name == nullptr) return;
  say("\n");
  say(kCulprit);
  say(name);
  say("'\n");
}

/// The process then ends by the signal as it would have without this.
void name_and_end(int number) {
  name_culprit(number);
  ::raise(number);
}

void answer_culprit() {
  struct sigaction action = {};
  action.sa_handler = name_culprit;
  action.sa_flags = SA_RESTART;
  ::sigaction(kAskCulprit, &action, nullptr);
}

void watch_for_crashes() {
  static const bool is_watching = [] {
    answer_culprit();
    struct sigaction action = {};
    action.sa_handler = name_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(number, &action, nullptr);
    return true;
  }();
  static_cast<void>(is_watching);
}

[[noreturn]] void refuse(const Found& plugin, const std::string& why) {
  throw Error(ErrorKind::usage,
              fmt::format("plugin '{}' in '{}' cannot be opened: {}", plugin.manifest->name, plugin.file.string(), why),
              "`dlrun plugins` says what is known of it");
}

Json facts_here(const std::string& name, const std::string& kind) {
  for (const Found& one : found()) {
    if (!one.fits() || one.manifest->name != name || name_of(one.manifest->kind) != kind) continue;
    return {{"kind", kind}, {"version", one.manifest->version}, {"sha256", hash_of(one)}, {"file", one.file.string()}};
  }
  return nullptr;
}

}  // namespace

std::string symbol_of(Kind kind) { return fmt::format("dlrun_plugin_{}", name_of(kind)); }

void* open_symbol(const Found& plugin) {
  const Running now(plugin.manifest->name);  // constructors of the object run
  watch_for_crashes();
  void* object = ::dlopen(plugin.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) refuse(plugin, ::dlerror());
  const std::string name = symbol_of(plugin.manifest->kind);
  void* symbol = ::dlsym(object, name.c_str());
  if (symbol == nullptr)
    refuse(plugin, fmt::format("it has no symbol '{}', which a macro of dlrun/plugin/{}.hpp makes", name,
                               name_of(plugin.manifest->kind)));
  return symbol;
}

void require_same(const Json& facts) {
  if (!facts.is_object()) return;
  for (const auto& [name, wanted] : facts.items()) {
    const std::string kind = wanted.at("kind"), hash = wanted.at("sha256");
    const Json here = facts_here(name, kind);
    if (here.is_null())
      throw Error(ErrorKind::outside,
                  fmt::format("the study needs the {} of plugin '{}' {} ({}), which this worker does not find", kind,
                              name, wanted.at("version").get<std::string>(), short_hash(hash)),
                  "DLRUN_PLUGINS names folders of plugins, here too");
    if (here.at("sha256") == hash) continue;
    throw Error(ErrorKind::outside,
                fmt::format("the study uses plugin '{}' with SHA-256 {}, but this worker finds '{}' with {}", name,
                            hash, here.at("file").get<std::string>(), here.at("sha256").get<std::string>()),
                "install the same object on all machines");
  }
}

Running::Running(const std::string& name) : before_(running.exchange(kept(name))) {}
Running::~Running() { running = before_; }

const char* name_of_running() noexcept { return running; }

}  // namespace dlrun::plugin
