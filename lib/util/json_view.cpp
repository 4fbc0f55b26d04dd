// SPDX-License-Identifier: Apache-2.0
#include "util/json_view.hpp"

#include <simdjson.h>

#include <bit>
#include <utility>

namespace dlrun {

using simdjson::SUCCESS;
using simdjson::dom::element;

/// Between a view and what it stands for.
struct JsonElement {
  static element of(const JsonView& view) { return std::bit_cast<element>(view.element_); }
  static JsonView view(const element& of) {
    JsonView view;
    view.element_ = std::bit_cast<decltype(view.element_)>(of);
    return view;
  }
};

namespace {

constexpr std::size_t kFirstBytes = 4096;

template <class Whole>
Whole whole_of(const JsonView& view) {
  const element value = JsonElement::of(view);
  std::int64_t number = 0;
  if (value.get(number) == SUCCESS && std::in_range<Whole>(number)) return static_cast<Whole>(number);
  throw JsonFault("a whole number in range is wanted here");
}

template <class T>
T value_of(const JsonView& view, const char* name) {
  T value{};
  if (JsonElement::of(view).get(value) != SUCCESS) throw JsonFault(std::string(name) + " is wanted here");
  return value;
}

}  // namespace

JsonView JsonView::at(std::string_view key) const {
  if (const auto member = find(key)) return *member;
  throw JsonFault("'" + std::string(key) + "' is missing");
}

JsonView JsonView::at(std::size_t index) const {
  element item;
  if (JsonElement::of(*this).at(index).get(item) == SUCCESS) return JsonElement::view(item);
  throw JsonFault("a list of at least " + std::to_string(index + 1) + " is wanted here");
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  element member;
  if (JsonElement::of(*this).at_key(key).get(member) != SUCCESS) return std::nullopt;
  return JsonElement::view(member);
}

bool JsonView::is_null() const { return JsonElement::of(*this).is_null(); }
bool JsonView::is_array() const { return JsonElement::of(*this).is_array(); }
bool JsonView::is_number() const { return JsonElement::of(*this).is_number(); }
bool JsonView::is_number_integer() const { return JsonElement::of(*this).is_int64(); }
std::string JsonView::text() const { return simdjson::minify(JsonElement::of(*this)); }

bool JsonView::operator==(std::string_view text) const {
  std::string_view mine;
  return JsonElement::of(*this).get(mine) == SUCCESS && mine == text;
}

std::vector<JsonView> JsonView::list() const {
  std::vector<JsonView> out;
  for (const element item : value_of<simdjson::dom::array>(*this, "a list")) out.push_back(JsonElement::view(item));
  return out;
}

std::vector<JsonView> JsonView::list_or_none(std::string_view key) const {
  const auto member = find(key);
  return member ? member->list() : std::vector<JsonView>();
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::items() const {
  std::vector<std::pair<std::string_view, JsonView>> out;
  for (const auto [key, value] : value_of<simdjson::dom::object>(*this, "a map")) {
    out.emplace_back(key, JsonElement::view(value));
  }
  return out;
}

template <>
bool JsonView::get<bool>() const {
  return value_of<bool>(*this, "true or false");
}
template <>
double JsonView::get<double>() const {
  return value_of<double>(*this, "a number");
}
template <>
std::string JsonView::get<std::string>() const {
  return std::string(value_of<std::string_view>(*this, "a text"));
}
template <>
int JsonView::get<int>() const {
  return whole_of<int>(*this);
}
template <>
std::uint32_t JsonView::get<std::uint32_t>() const {
  return whole_of<std::uint32_t>(*this);
}
template <>
std::int64_t JsonView::get<std::int64_t>() const {
  return whole_of<std::int64_t>(*this);
}

std::int64_t whole_or(const JsonView& map, std::string_view key, std::int64_t otherwise) {
  return map.value(key, otherwise);
}

std::vector<std::int64_t> wholes(const JsonView& list) {
  std::vector<std::int64_t> out;
  for (const JsonView& item : list.list()) out.push_back(item.get<std::int64_t>());
  return out;
}

struct JsonReader::Parser : simdjson::dom::parser {};

JsonReader::JsonReader() : parser_(std::make_unique<Parser>()) {
  if (parser_->allocate(kFirstBytes, kMaxDepth) != SUCCESS) throw std::bad_alloc();
}
JsonReader::~JsonReader() = default;

JsonView JsonReader::read(std::string_view text) {
  if (text.empty()) throw JsonFault("it is no valid JSON, but empty");
  element root;
  const simdjson::error_code fault = parser_->parse(text.data(), text.size()).get(root);
  if (fault == simdjson::DEPTH_ERROR) throw JsonFault("it nests deeper than " + std::to_string(kMaxDepth));
  if (fault != SUCCESS) throw JsonFault(std::string("it is no valid JSON: ") + simdjson::error_message(fault));
  return JsonElement::view(root);
}

JsonView read_json(std::string_view text) {
  static thread_local JsonReader reader;
  return reader.read(text);
}

}  // namespace dlrun
