// SPDX-License-Identifier: Apache-2.0
// Plugins of kind data that the fake guest reads for, and their files.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "dataset/arrays/apart.hpp"
#include "dataset/dataset.hpp"
#include "dataset/formats.hpp"
#include "plugin/found.hpp"
#include "support/golden.hpp"
#include "support/plugin_copies.hpp"
#include "support/temp_folder.hpp"
#include "tensors/safetensors.hpp"
#include "unit/dataset/files.hpp"

namespace readings_test {

using namespace dlrun;
using namespace dlrun::dataset;
namespace fs = std::filesystem;

/// An array of an archive, of F32, I64 or U8.
struct Given {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;
};

template <class Number>
std::string bytes_as(const std::vector<double>& numbers) {
  const std::vector<Number> all(numbers.begin(), numbers.end());
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Number)};
}

inline std::string bytes_of(const Given& given) {
  if (given.dtype == "F32") return bytes_as<float>(given.numbers);
  return given.dtype == "I64" ? bytes_as<std::int64_t>(given.numbers) : bytes_as<std::uint8_t>(given.numbers);
}

/// The file that a reading leaves. @param texts  of tensors
inline std::string archive(const std::vector<Given>& all, const Json& texts = Json::object()) {
  std::vector<std::string> bytes;
  std::vector<tensors::TensorView> views;
  for (const Given& given : all) bytes.push_back(bytes_of(given));
  for (std::size_t i = 0; i < all.size(); ++i) views.push_back({all[i].name, all[i].dtype, all[i].shape, bytes[i]});
  return tensors::write_safetensors(views, {{"texts", to_text(texts)}});
}

/// so many numbers from a first one on
inline std::vector<double> counted(int count, double from = 0) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(from + i);
  return numbers;
}

/// Labels 0, 1, … below - 1, again and again.
inline std::vector<double> labels(int count, int below) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(i % below);
  return numbers;
}

/// Makes the plugins once, before the first look for some.
inline void install() {
  static const support::TempFolder folder;
  static bool is_done = false;
  if (std::exchange(is_done, true)) return;
  const std::string head = "kind: data\nversion: 1.0.0\nabout: arrays of a test\n";
  const std::string does = "keys:\n  - {name: does, type: text, text: its fault, default: nothing}\n";
  const std::string more = "  - {name: more, type: text, text: another file, file: true}\n";
  support::write_plugin(folder.path(), "plugin: named_arrays\n" + head + does + more);
  support::write_plugin(folder.path(), "plugin: whole_arrays\nnames: false\nfolder: true\n" + head + does + more);
  ::setenv("DLRUN_PLUGINS", folder.path().c_str(), 1);
}

/// A folder of data whose name is DIR in texts.
class Place {
 public:
  Place() { install(); }

  void write(const std::string& name, const std::string& bytes) const { folder.write(name, bytes); }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }

  /// A text with DIR for the folder.
  std::string plain(std::string text) const {
    support::replace_all(text, folder.path().string(), "DIR");
    return text;
  }

  /// Requests that the guest was given for a file so far, a line each.
  std::string log_of(const std::string& name) const {
    const fs::path file = path(name + ".log");
    return fs::exists(file) ? read_file(file) : "";
  }
  int readings_of(const std::string& name) const {
    const std::string log = log_of(name);
    return int(std::count(log.begin(), log.end(), '\n'));
  }

  DataFolder folder;
};

/// A fault with all its parts, "no fault" where the call has none.
template <class Call>
std::string fault_of(const Place& place, Call&& call) {
  try {
    call();
    return "no fault\n";
  } catch (const DataError& fault) {
    const bool is_plugins = dynamic_cast<const PluginFault*>(&fault) != nullptr;
    return place.plain(fmt::format("{}{} at '{}', place '{}': {} [{}]\n", is_plugins ? "plugin's fault, " : "",
                                   fault.kind() == ErrorKind::usage ? "usage" : "outside", fault.path(), fault.place(),
                                   fault.what(), fault.hint()));
  } catch (const Error& fault) {
    return place.plain(fmt::format("error: {} [{}]\n", fault.what(), fault.hint()));
  }
}

}  // namespace readings_test
