// SPDX-License-Identifier: Apache-2.0
// Calls into the code of plugins that compute with libtorch: their exceptions get the plugin's name.
#pragma once
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "plugin/opened.hpp"

namespace dlrun::nn {

/// Throws the exception that is being handled again, in words that name the plugin. Lack of memory stays what it is.
[[noreturn]] void rethrow_named(const std::string& plugin);

template <class Call>
auto guarded(const std::string& plugin, Call&& call) {
  const plugin::Running now(plugin);
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    rethrow_named(plugin);
  }
}

}  // namespace dlrun::nn
