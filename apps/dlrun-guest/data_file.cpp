// SPDX-License-Identifier: Apache-2.0
#include "data_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <string_view>
#include <system_error>

#include "tensors/safetensors.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

namespace {

using plugin::Array;
using plugin::Type;

constexpr std::size_t kMostSizes = 8;
constexpr const char* kTypes[] = {"BOOL", "I8",  "U8",  "I16",  "U16", "I32", "U32",
                                  "I64",  "U64", "F16", "BF16", "F32", "F64", "I64"};

template <class Map>
struct Part {
  const char* name;
  Map* map;
};
template <class Map>
Part(const char*, Map*) -> Part<Map>;  // clang 14 deduces no aggregates

template <class Parts>
auto parts_of(Parts& all) {
  return std::array{Part{"inputs", &all.inputs}, Part{"targets", &all.targets}, Part{"test_inputs", &all.test_inputs},
                    Part{"test_targets", &all.test_targets}};
}

/// Product of the sizes. @throws Broken
std::uint64_t count_of(const Array& array, const std::string& name) {
  if (array.shape.empty() || array.shape.size() > kMostSizes)
    throw Broken(fmt::format("{} has {} sizes, but one to {} are allowed", name, array.shape.size(), kMostSizes));
  std::uint64_t count = 1;
  for (const std::int64_t size : array.shape) {
    if (size < 0 || __builtin_mul_overflow(count, std::uint64_t(size), &count) || count > std::uint64_t(1) << 48)
      throw Broken(fmt::format("{} has the size {}", name, size));
  }
  return count;
}

void check_array(const Array& array, const std::string& name) {
  if (std::size_t(array.type) >= std::size(kTypes)) throw Broken(fmt::format("{} has an unknown type", name));
  const std::uint64_t count = count_of(array, name);
  const bool is_text = array.type == Type::text;
  if (is_text && array.texts.size() != count)
    throw Broken(fmt::format("{} has {} texts, but its shape says {}", name, array.texts.size(), count));
  if (!is_text && array.bytes.size() != count * plugin::size_of(array.type))
    throw Broken(fmt::format("{} has {} bytes, but its shape says {}", name, array.bytes.size(),
                             count * plugin::size_of(array.type)));
}

using Wanted = std::map<std::string, std::string>;

void check_names(const std::map<std::string, Array>& arrays, const Wanted& wanted, const char* part) {
  for (const auto& [name, where] : wanted) {
    if (!arrays.contains(name)) throw Broken(fmt::format("there is no array {}/{}, which was asked for", part, name));
  }
  for (const auto& [name, array] : arrays) {
    if (!wanted.contains(name)) throw Broken(fmt::format("the array {}/{} was not asked for", part, name));
  }
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) throw Unwritten(std::generic_category().message(errno));
    if (done > 0) bytes.remove_prefix(std::size_t(done));
  }
}

/// Numbers of texts: their places among all different ones, in the order of bytes.
struct Coded {
  std::vector<std::string> names;
  std::vector<std::int64_t> numbers;
};

Coded code(const std::vector<std::string>& texts) {
  Coded coded{.names = texts, .numbers = {}};
  std::sort(coded.names.begin(), coded.names.end());
  coded.names.erase(std::unique(coded.names.begin(), coded.names.end()), coded.names.end());
  for (const std::string& text : texts)
    coded.numbers.push_back(std::lower_bound(coded.names.begin(), coded.names.end(), text) - coded.names.begin());
  return coded;
}

std::string_view bytes_of(const std::vector<std::int64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)};
}

}  // namespace

void check(const plugin::Arrays& arrays, const plugin::Names& wanted) {
  const bool chooses = wanted.inputs.empty() && wanted.targets.empty();
  const auto names = parts_of(wanted);
  const auto parts = parts_of(arrays);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!chooses) check_names(*parts[k].map, *names[k].map, parts[k].name);
    for (const auto& [name, array] : *parts[k].map) check_array(array, fmt::format("{}/{}", parts[k].name, name));
  }
  if (arrays.inputs.empty()) throw Broken("there are no inputs");
}

void write(plugin::Arrays arrays, int file) {
  std::list<Coded> coded;  // lent to the views
  std::vector<tensors::TensorView> views;
  Json texts = Json::object();
  for (const auto& [part, map] : parts_of(arrays)) {
    for (auto& [name, array] : *map) {
      tensors::TensorView view{fmt::format("{}/{}", part, name), kTypes[std::size_t(array.type)], array.shape, {}};
      if (array.type == Type::text) {
        coded.push_back(code(array.texts));
        std::vector<std::string>().swap(array.texts);  // gives their memory back
        texts[view.name] = coded.back().names;
        view.bytes = bytes_of(coded.back().numbers);
      } else {
        view.bytes = {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
      }
      views.push_back(std::move(view));
    }
  }
  write_all(file, tensors::order_for_writing(views, {{"texts", to_text(texts)}}));
  for (const tensors::TensorView& view : views) write_all(file, view.bytes);
}

}  // namespace dlrun::guest
