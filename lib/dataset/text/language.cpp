// SPDX-License-Identifier: Apache-2.0
// op: text. Windows over a text; every token predicts the next one.
#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/options.hpp"
#include "dataset/sequences/windows.hpp"
#include "dataset/text/vocabulary.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;

/// The byte at a share of the text, moved on to the end of its line; without line ends behind it, to a character's end.
std::size_t border(const std::string& text, double share) {
  const auto at = std::min(text.size(), std::size_t(share * double(text.size())));
  const std::size_t line = text.find('\n', at);
  if (at == 0 || at == text.size()) return at;
  if (line != std::string::npos && line - at < text.size() / 100) return line + 1;
  std::size_t end = at;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end;
}

/// The text's three parts, in order.
std::vector<std::string_view> parts_of(const std::string& text, const Json& split) {
  const double train = split["train"].get<double>(), val = split["val"].get<double>();
  const std::size_t first = border(text, train);
  const std::size_t second =
      split["test"].get<double>() == 0 ? text.size() : std::max(first, border(text, train + val));
  const std::string_view whole(text);
  return {whole.substr(0, first), whole.substr(first, second - first), whole.substr(second)};
}

Dataset load_text(const Json& data, const Sources& sources, std::uint64_t) {
  const Content content = read_content(sources[0].file, kMostBytes);
  const std::vector<std::string_view> parts = parts_of(content.bytes, data["split"]);
  const std::unique_ptr<Vocabulary> vocabulary = make_vocabulary(data["vocabulary"], {parts[0]}, data["cache"]);
  auto tokens = std::make_shared<std::vector<std::int32_t>>();
  std::vector<std::int64_t> ends;
  for (const std::string_view part : parts) {
    vocabulary->encode(part, *tokens);
    ends.push_back(std::int64_t(tokens->size()));
  }
  const auto length = data["length"].get<std::int64_t>();
  Windows w{.items = ends[2], .need = length + 1, .step = length, .train_end = ends[0], .val_end = ends[1]};
  if (!data["step"].is_null()) w.step = data["step"].get<std::int64_t>();
  if (w.items < w.need)
    throw DataError("length", fmt::format("a window needs {} tokens, but the text has {}", w.need, w.items),
                    "a smaller `length`", sources[0].file.string());
  Dataset dataset;
  const auto size = std::int64_t(vocabulary->names().size());
  dataset.schema.inputs = {{"x", {length}, size}};
  dataset.schema.classes = size;
  dataset.schema.target_shape = {length};
  dataset.schema.class_names = vocabulary->names();
  dataset.schema.sha256 = content_hash(data, sources, {content.sha256});
  Array array;
  array.element = Element::i32;
  array.examples = w.count();
  array.width = length;
  array.stride = w.step;
  array.bytes = {tokens, reinterpret_cast<const std::byte*>(tokens->data())};
  dataset.inputs = {array};
  array.bytes = {tokens, reinterpret_cast<const std::byte*>(tokens->data() + 1)};
  dataset.targets = array;
  finish_splits(dataset, window_rows(w, data["split"]));
  return dataset;
}

}  // namespace

Format text_format() {
  DataKind kind{
      "text",
      {{.name = "path", .type = "string", .required = true, .text = "a text, gzipped or not", .is_path = true},
       {.name = "length", .type = "int", .required = true, .low = 1, .high = 1e6, .text = "tokens of an example"},
       {.name = "step",
        .type = "int",
        .low = 1,
        .high = 1e9,
        .text = "tokens from one example to the next; default: length"},
       vocabulary_option(),
       cache_option("a learned vocabulary")},
      "a text for a language model: every token predicts the next"};
  return {std::move(kind), SplitBy::order, find_path, load_text};
}

}  // namespace dlrun::dataset
