// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun {

Object::Object(const std::string& file) : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw Error(ErrorKind::usage, fmt::format("it cannot be opened: {}", ::dlerror()));
}

void* Object::symbol(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw Error(ErrorKind::usage, fmt::format("it has no function {}", name));
  return found;
}

}  // namespace dlrun
