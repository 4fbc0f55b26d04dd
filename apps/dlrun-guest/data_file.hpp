// SPDX-License-Identifier: Apache-2.0
// Arrays of a plugin, checked and written as a safetensors file.
#pragma once
#include <dlrun/plugin/data.hpp>
#include <stdexcept>
#include <string>

namespace dlrun::guest {

/// An answer that the plugin's interface forbids.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The file for the arrays cannot be written.
class Unwritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws Broken: a name that was not asked for or is missing, a size below 0, more or fewer bytes than the shape
/// says.
void check(const plugin::Arrays& arrays, const plugin::Names& wanted);

/// Tensors are named "inputs/x"; texts become their numbers, and the metadata has {"texts": {"targets/": ["a", …]}}.
/// @throws Unwritten
void write(plugin::Arrays arrays, int file);

}  // namespace dlrun::guest
