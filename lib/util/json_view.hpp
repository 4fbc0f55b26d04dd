// SPDX-License-Identifier: Apache-2.0
// JSON that is only read, ten times faster than into a tree that one can change: for the many rows of the log and
// messages of workers. The names are those of Json, so that one reader can serve both.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlrun {

/// A text that is no JSON, or a value that is missing or of another kind than was asked for.
class JsonFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value inside a parsed text. Valid until its JsonReader reads the next text.
class JsonView {
 public:
  /// @throws JsonFault where this is no object, or has no such member.
  JsonView at(std::string_view key) const;
  /// @throws JsonFault where this is no list, or a shorter one.
  JsonView at(std::size_t index) const;
  /// nullopt where this is no object, or has no such member.
  std::optional<JsonView> find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key).has_value(); }

  /// T: bool, double, std::string, int, std::uint32_t, std::int64_t. @throws JsonFault where it is no T.
  template <class T>
  T get() const;
  /// Value of a member, as by get(); `otherwise` where there is none.
  template <class T>
  T value(std::string_view key, T otherwise) const {
    const auto member = find(key);
    return member ? member->get<T>() : otherwise;
  }

  bool is_null() const;
  bool is_array() const;
  bool is_number() const;
  bool is_number_integer() const;
  std::string text() const;  ///< compact
  bool operator==(std::string_view text) const;

  /// Items of a list, in order. @throws JsonFault where it is none.
  std::vector<JsonView> list() const;
  /// Items of a member that is a list; none where there is no such member.
  std::vector<JsonView> list_or_none(std::string_view key) const;
  /// Members of an object, as they were written. @throws JsonFault where it is none.
  std::vector<std::pair<std::string_view, JsonView>> items() const;

 private:
  friend struct JsonElement;

  std::array<const void*, 2> element_ = {};  ///< the parser's own kind of view
};

/// Whole number, as util/whole.hpp has it of Json. @throws JsonFault
template <class Whole>
Whole whole(const JsonView& json) {
  return json.get<Whole>();
}
std::int64_t whole_or(const JsonView& map, std::string_view key, std::int64_t otherwise);
std::vector<std::int64_t> wholes(const JsonView& list);

/// Keeps its memory from one text to the next.
class JsonReader {
 public:
  static constexpr std::size_t kMaxDepth = 64;

  JsonReader();
  ~JsonReader();
  /// @throws JsonFault where text is no JSON, nests deeper than kMaxDepth or holds numbers out of range.
  JsonView read(std::string_view text);

 private:
  struct Parser;

  std::unique_ptr<Parser> parser_;
};

/// Document read by this thread's parser: each call ends the views of the call before.
JsonView read_json(std::string_view text);

}  // namespace dlrun
