// SPDX-License-Identifier: Apache-2.0
#include "nn/guarded.hpp"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::nn {

namespace {

[[noreturn]] void blame(const std::string& plugin, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("plugin '{}': {}", plugin, why.substr(0, why.find('\n'))));
}

}  // namespace

void rethrow_named(const std::string& plugin) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error&) {
    throw;
  } catch (c10::Error& fault) {
    const std::string text = fault.what_without_backtrace();
    const bool is_memory = dynamic_cast<const c10::OutOfMemoryError*>(&fault) != nullptr ||
                           text.find("DefaultCPUAllocator") != std::string::npos ||
                           text.find("not enough memory") != std::string::npos;
    if (is_memory) fault.add_context(fmt::format("in the code of plugin '{}'", plugin));
    if (is_memory) throw;
    blame(plugin, text);
  } catch (const std::exception& fault) {
    blame(plugin, fault.what());
  } catch (...) {
    blame(plugin, "an exception of unknown type");
  }
}

}  // namespace dlrun::nn
