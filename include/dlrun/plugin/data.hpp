// SPDX-License-Identifier: Apache-2.0
// A format of data sets: a class that reads files into named arrays. Splits, scaling, batches, hashes, folds and new
// examples are dlrun's, exactly as for `op: npz`; a study writes `data: {op: NAME, path: x.h5, inputs: …, targets: …}`.
//
//   class Hdf5 : public dlrun::plugin::Format {
//     dlrun::plugin::Arrays read(const dlrun::plugin::Options&, const dlrun::plugin::Files&,
//                                const dlrun::plugin::Names&) override;
//   };
//   DLRUN_DATA(Hdf5)
//
// Each reading is a process of its own, which holds one object of the class and ends afterwards. A crash, a hang and
// too much memory end that process alone. dlrun keeps the result and reads again only after a change of a file's
// content, of the options, of the names or of the plugin, so the result must be a pure function of these: no clock, no
// generator of random numbers, no other file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dlrun/plugin/options.hpp"

namespace dlrun::plugin {

/// Types of numbers, little-endian; `brain` is bfloat16.
enum class Type { boolean, i8, u8, i16, u16, i32, u32, i64, u64, half, brain, f32, f64, text };

/// Bytes of one number; 0 for texts.
constexpr std::size_t size_of(Type type) {
  constexpr std::size_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 0};
  return kSizes[static_cast<std::size_t>(type)];
}

template <class Number>
constexpr Type type_of() {
  static_assert(std::is_arithmetic_v<Number> && sizeof(Number) <= 8, "numbers of at most 8 bytes");
  if constexpr (std::is_same_v<Number, bool>) return Type::boolean;
  if constexpr (std::is_floating_point_v<Number>) return sizeof(Number) == 4 ? Type::f32 : Type::f64;
  constexpr Type kSigned[] = {Type::i8, Type::i16, Type::i32, Type::i64};
  constexpr Type kUnsigned[] = {Type::u8, Type::u16, Type::u32, Type::u64};
  constexpr std::size_t at = sizeof(Number) == 1 ? 0 : sizeof(Number) == 2 ? 1 : sizeof(Number) == 4 ? 2 : 3;
  return std::is_signed_v<Number> ? kSigned[at] : kUnsigned[at];
}

/// Numbers of any shape, row-major. The first size is the number of examples; there are one to eight sizes.
/// Inputs: whole numbers or reals. Targets: whole numbers are class numbers from 0 on, reals are values, and texts are
/// classes by their names, which dlrun numbers in the order of their bytes.
struct Array {
  Type type = Type::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;    ///< product of the shape × size_of(type); empty for texts
  std::vector<std::string> texts;  ///< as many as the product of the shape, in UTF-8; of Type::text only

  /// REQUIRES: as many numbers as the shape says.
  template <class Number>
  static Array of(std::vector<std::int64_t> shape, const std::vector<Number>& numbers) {
    Array array{type_of<Number>(), std::move(shape), std::vector<std::byte>(numbers.size() * sizeof(Number)), {}};
    if (!numbers.empty()) std::memcpy(array.bytes.data(), numbers.data(), array.bytes.size());
    return array;
  }
};

/// Arrays by the names that inputs and targets have in the study. A single target has the name "". All arrays of
/// inputs and targets have the same number of examples. Arrays of a test split that is apart: those of test_…, or none.
struct Arrays {
  std::map<std::string, Array> inputs, targets, test_inputs, test_targets;
};

/// The arrays that the study asks for: name -> the array's name in the file, as the section's keys `inputs`, `targets`,
/// `test_inputs` and `test_targets` say. The result has exactly these. New examples without targets ask for inputs
/// alone. With `names: false` in plugin.yaml a section has no such keys, all maps are empty, and the result decides.
struct Names {
  std::map<std::string, std::string> inputs, targets, test_inputs, test_targets;
};

/// Absolute paths: of `path`, and of the section's other keys with `file: true`; a key without a value is absent.
using Files = std::map<std::string, std::string>;

/// A fault of the data or of the section, for the person who wrote the study. Any other std::exception is a fault at
/// `path`.
class DataFault : public std::runtime_error {
 public:
  /// @param key      place in the section: "inputs.x", "targets", "path", or a key of plugin.yaml
  /// @param message  lower case, no full stop: "there is no data set '/images'"
  /// @param hint     advice, or empty
  DataFault(std::string key, const std::string& message, std::string hint = {})
      : std::runtime_error(message), key_(std::move(key)), hint_(std::move(hint)) {}
  const std::string& key() const { return key_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string key_, hint_;
};

class Format {
 public:
  virtual ~Format() = default;
  /// @throws DataFault, or any std::exception, for files that are damaged or have no such array
  virtual Arrays read(const Options& options, const Files& files, const Names& names) = 0;
};

}  // namespace dlrun::plugin

/// Names the class of the plugin, once in the object. The class has a constructor without arguments.
#define DLRUN_DATA(Class) \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Format* dlrun_plugin_data() { return new Class; }
