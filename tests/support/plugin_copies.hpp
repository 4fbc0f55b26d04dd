// SPDX-License-Identifier: Apache-2.0
// Plugins made of plugin_door.cpp while a test runs: one shared object for each plugin.yaml.
#pragma once
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "plugin/manifest.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::support {

/// Writes FOLDER/NAME.so. @param yaml  text of its plugin.yaml    @return  the object
inline std::filesystem::path write_plugin(const std::filesystem::path& folder, const std::string& yaml) {
  constexpr std::size_t kRoom = 8192;  // as plugin_door.cpp
  const std::filesystem::path text = folder / "plugin.yaml";
  write_file(text, yaml, {.durable = false});
  const plugin::Manifest manifest = plugin::read_manifest(text.string());
  const std::string mark = "\"manifest\": {}", json = to_text(manifest.whole);
  std::string bytes = read_file(DLRUN_PLUGIN_DOOR);
  const std::size_t at = bytes.find(mark);
  if (at == std::string::npos || json.size() > kRoom) throw std::logic_error("no room for a manifest");
  bytes.replace(at + mark.size() - 2, json.size(), json);
  const std::filesystem::path object = folder / (manifest.name + ".so");
  write_file(object, bytes, {.durable = false});
  return object;
}

/// Opens the object, whose objects `make` makes from now on.
inline void set_door(const std::filesystem::path& object, void* (*make)(const void* facts)) {
  void* opened = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(::dlerror());
  *static_cast<void* (**)(const void*)>(::dlsym(opened, "dlrun_door")) = make;
}

}  // namespace dlrun::support
