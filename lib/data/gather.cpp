// SPDX-License-Identifier: Apache-2.0
#include "data/gather.hpp"

#include <cstring>

namespace dlrun::data {

namespace {

using dataset::Array;
using dataset::Element;

/// Copies rows without index_select's set-up of microseconds.
template <class T>
void copy_rows(const Array& array, const std::int64_t* rows, std::int64_t count, T* to) {
  const auto bytes = std::size_t(array.width) * sizeof(T);
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * array.width, array.row(rows[i]), bytes);
}

template <class From, class To>
void convert(const From* from, std::int64_t count, To* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

template <class From>
void scale(const From* from, std::int64_t count, float factor, float shift, float* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float scaled = static_cast<float>(from[i]) * factor;
    to[i] = scaled + shift;
  }
}

template <class From>
void scale_row(const Array& array, const From* from, float* to) {
  const auto channels = std::int64_t(array.scale.size());
  const std::int64_t each = array.width / channels;
  for (std::int64_t c = 0; c < channels; ++c)
    scale(from + c * each, each, array.scale[std::size_t(c)], array.shift[std::size_t(c)], to + c * each);
}

template <class From>
void numbers(const Array& array, const std::int64_t* rows, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* from = reinterpret_cast<const From*>(array.row(rows[i]));
    if (array.scale.empty())
      convert(from, array.width, to + i * array.width);
    else
      scale_row(array, from, to + i * array.width);
  }
}

template <class From>
void indices(const Array& array, const std::int64_t* rows, std::int64_t count, std::int64_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    convert(reinterpret_cast<const From*>(array.row(rows[i])), array.width, to + i * array.width);
}

void gather_numbers(const Array& array, const std::int64_t* rows, std::int64_t count, float* to) {
  switch (array.element) {
    case Element::u8: return numbers<std::uint8_t>(array, rows, count, to);
    case Element::i32: return numbers<std::int32_t>(array, rows, count, to);
    case Element::i64: return numbers<std::int64_t>(array, rows, count, to);
    case Element::f32: break;
  }
  return array.scale.empty() ? copy_rows(array, rows, count, to) : numbers<float>(array, rows, count, to);
}

void gather_indices(const Array& array, const std::int64_t* rows, std::int64_t count, std::int64_t* to) {
  switch (array.element) {
    case Element::u8: return indices<std::uint8_t>(array, rows, count, to);
    case Element::i32: return indices<std::int32_t>(array, rows, count, to);
    case Element::f32: return indices<float>(array, rows, count, to);
    case Element::i64: break;
  }
  copy_rows(array, rows, count, to);
}

}  // namespace

void gather(const Array& array, const std::int64_t* rows, const at::Tensor& to) {
  if (to.scalar_type() == at::kLong) {
    gather_indices(array, rows, to.size(0), to.mutable_data_ptr<std::int64_t>());
  } else {
    gather_numbers(array, rows, to.size(0), to.mutable_data_ptr<float>());
  }
}

}  // namespace dlrun::data
