// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

using Kind = RawTensor::Kind;

/// Walks the examples' numbers in row-major order, whatever the file's.
class Walk {
 public:
  explicit Walk(const RawTensor& raw) : shape_(raw.shape), index_(raw.shape.size()), strides_(raw.shape.size()) {
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      const std::size_t axis = raw.is_fortran ? i : shape_.size() - 1 - i;
      strides_[axis] = stride;
      stride *= axis == 0 && raw.rows_there > 0 ? raw.rows_there : shape_[axis];
    }
  }

  std::int64_t offset() const { return offset_; }

  void step() {
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      offset_ += strides_[axis];
      if (++index_[axis] < shape_[axis]) return;
      offset_ -= strides_[axis] * shape_[axis];
      index_[axis] = 0;
    }
  }

 private:
  const std::vector<std::int64_t>& shape_;
  std::vector<std::int64_t> index_, strides_;
  std::int64_t offset_ = 0;
};

template <class T>
T number_at(const std::byte* at, bool is_big_endian) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof(T));
  if (is_big_endian) std::reverse(bytes, bytes + sizeof(T));
  T number;
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

/// IEEE 754 binary16.
float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000U) << 16, exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0) {
    const float small = float(fraction) * 0x1p-24F;
    return sign != 0 ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

/// Row-major.
template <class To, class From, class Convert>
std::vector<To> values_of(const RawTensor& raw, std::int64_t count, const Convert& convert) {
  std::vector<To> values;
  values.reserve(std::size_t(count));
  Walk walk(raw);
  for (std::int64_t i = 0; i < count; ++i, walk.step())
    values.push_back(static_cast<To>(
        convert(number_at<From>(raw.bytes.get() + walk.offset() * std::int64_t(sizeof(From)), raw.is_big_endian))));
  return values;
}

template <class To, class From, class Convert>
Array converted(const RawTensor& raw, std::int64_t count, const Convert& convert) {
  return Array::of(values_of<To, From>(raw, count, convert));
}

template <class To, class From>
Array copied(const RawTensor& raw, std::int64_t count) {
  return converted<To, From>(raw, count, [](From value) { return value; });
}

Array real_array(const RawTensor& raw, std::int64_t count) {
  if (raw.kind == Kind::brain)
    return converted<float, std::uint16_t>(
        raw, count, [](std::uint16_t value) { return std::bit_cast<float>(std::uint32_t(value) << 16); });
  if (raw.size == 2) return converted<float, std::uint16_t>(raw, count, half_to_float);
  return raw.size == 4 ? copied<float, float>(raw, count) : copied<float, double>(raw, count);
}

Array integer_array(const RawTensor& raw, std::int64_t count) {
  if (raw.size == 1) return copied<std::int32_t, std::int8_t>(raw, count);
  if (raw.size == 2) return copied<std::int32_t, std::int16_t>(raw, count);
  return raw.size == 4 ? copied<std::int32_t, std::int32_t>(raw, count)
                       : copied<std::int64_t, std::int64_t>(raw, count);
}

Array natural_array(const RawTensor& raw, std::int64_t count, const std::string& key) {
  if (raw.size == 1) return copied<std::uint8_t, std::uint8_t>(raw, count);
  if (raw.size == 2) return copied<std::int32_t, std::uint16_t>(raw, count);
  if (raw.size == 4) return copied<std::int64_t, std::uint32_t>(raw, count);
  return converted<std::int64_t, std::uint64_t>(raw, count, [&](std::uint64_t value) {
    if (value <= std::uint64_t(std::numeric_limits<std::int64_t>::max())) return std::int64_t(value);
    throw DataError(key, fmt::format("{} has the number {}, above 2^63 - 1", raw.name, value));
  });
}

Array boolean_array(const RawTensor& raw, std::int64_t count) {
  return converted<std::uint8_t, std::uint8_t>(raw, count, [](std::uint8_t value) { return value != 0 ? 1 : 0; });
}

/// The type that an Array has for the numbers as they are.
bool has_element(const RawTensor& raw, Element& element) {
  if (raw.kind == Kind::real && raw.size == 4) return element = Element::f32, true;
  if (raw.kind == Kind::natural && raw.size == 1) return element = Element::u8, true;
  if (raw.kind == Kind::integer && raw.size == 4) return element = Element::i32, true;
  if (raw.kind == Kind::integer && raw.size == 8) return element = Element::i64, true;
  return false;
}

bool is_shareable(const RawTensor& raw) {
  const bool is_ordered = !raw.is_fortran || raw.shape.size() < 2;
  const bool is_native = !raw.is_big_endian || raw.size == 1;
  return is_ordered && is_native && reinterpret_cast<std::uintptr_t>(raw.bytes.get()) % raw.size == 0;
}

Array array_of(const RawTensor& raw, std::int64_t count, const std::string& key) {
  Array shared;
  if (has_element(raw, shared.element) && is_shareable(raw)) {
    shared.bytes = raw.bytes;
    return shared;
  }
  switch (raw.kind) {
    case Kind::boolean: return boolean_array(raw, count);
    case Kind::integer: return integer_array(raw, count);
    case Kind::natural: return natural_array(raw, count, key);
    case Kind::real:
    case Kind::brain: break;
  }
  return real_array(raw, count);
}

}  // namespace

bool count_of(const std::vector<std::int64_t>& shape, std::int64_t& count) {
  count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > std::int64_t(1) << 62) return false;
  }
  return true;
}

std::vector<double> to_doubles(const RawTensor& raw) {
  std::int64_t count = 0;
  count_of(raw.shape, count);
  if (raw.kind == Kind::real && raw.size == 8)
    return values_of<double, double>(raw, count, [](double value) { return value; });
  const Array array = array_of(raw, count, "path");
  std::vector<double> values;
  values.reserve(std::size_t(count));
  const bool is_real = array.element == Element::f32;
  Array flat = array;
  flat.examples = count;
  flat.width = flat.stride = 1;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(is_real ? double(flat.number(i)) : double(flat.index(i)));
  return values;
}

RawTensor rows_of(const RawTensor& raw, std::int64_t begin, std::int64_t count) {
  RawTensor part = raw;
  std::int64_t each = 1;
  for (std::size_t i = 1; i < raw.shape.size() && !raw.is_fortran; ++i) each *= raw.shape[i];
  part.shape[0] = count;
  part.rows_there = raw.rows_there > 0 ? raw.rows_there : raw.shape[0];
  part.bytes = {raw.bytes, raw.bytes.get() + std::size_t(begin * each) * raw.size};
  return part;
}

void require_numbers(const std::shared_ptr<const std::vector<std::string>>& texts, const std::string& name,
                     const std::string& key) {
  if (texts != nullptr) throw DataError(key, fmt::format("{} holds texts", name), "only targets may be texts");
}

void require_examples(const RawTensor& raw, const std::string& key) {
  std::int64_t count = 0;
  if (!raw.shape.empty() && count_of(raw.shape, count) && count > 0) return;
  throw DataError(key, fmt::format("{} has the shape [{}]", raw.name, fmt::join(raw.shape, ", ")),
                  "the first size is the number of examples, and none may be 0");
}

Tensor to_tensor(const RawTensor& raw, const std::string& key) {
  require_examples(raw, key);
  std::int64_t count = 0;
  count_of(raw.shape, count);
  Tensor tensor{raw.shape, array_of(raw, count, key), raw.is_whole(), raw.name, raw.texts};
  tensor.array.examples = raw.shape[0];
  tensor.array.width = tensor.array.stride = count / raw.shape[0];
  return tensor;
}

}  // namespace dlrun::dataset
