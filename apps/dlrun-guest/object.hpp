// SPDX-License-Identifier: Apache-2.0
// The shared object of a plugin, opened.
#pragma once
#include <string>

namespace dlrun {

/// Stays open until the process ends, because objects of the plugin may live as long.
class Object {
 public:
  /// @throws Error(usage) where it cannot be opened
  explicit Object(const std::string& file);
  /// The function that the plugin's macro has defined. @throws Error(usage) where there is none
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const std::string& name) const;

  void* handle_;
};

}  // namespace dlrun
