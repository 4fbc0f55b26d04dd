// SPDX-License-Identifier: Apache-2.0
// op: text. Windows over a text; every token predicts the next one.
#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/options.hpp"
#include "dataset/sequences/windows.hpp"
#include "dataset/text/vocabulary.hpp"
#include "util/utf8.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostLanguageBytes = std::size_t(4) << 30;

/// The byte at a share of the text, moved on to the end of its line; without line ends behind it, to a character's end.
std::size_t border(const std::string& text, double share) {
  const auto at = std::min(text.size(), std::size_t(share * double(text.size())));
  const std::size_t line = text.find('\n', at);
  if (at == 0 || at == text.size()) return at;
  if (line != std::string::npos && line - at < text.size() / 100) return line + 1;
  std::size_t end = at;
  while (end < text.size() && continues_character(text[end])) ++end;
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

/// Vocabulary of the training part.
std::unique_ptr<Vocabulary> vocabulary_of(const Json& data, const std::string& text) {
  return make_vocabulary(data["vocabulary"], {parts_of(text, data["split"])[0]}, data["cache"]);
}

using Tokens = std::shared_ptr<std::vector<std::int32_t>>;

Windows windows_of(const Json& data, std::int64_t items) {
  const auto length = data["length"].get<std::int64_t>();
  Windows w{.items = items, .need = length + 1, .step = length};
  if (!data["step"].is_null()) w.step = data["step"].get<std::int64_t>();
  return w;
}

void set_windows(Dataset& dataset, const Tokens& tokens, const Windows& w) {
  Array array;
  array.element = Element::i32;
  array.examples = w.count();
  array.width = w.need - 1;
  array.stride = w.step;
  array.bytes = {tokens, reinterpret_cast<const std::byte*>(tokens->data())};
  dataset.inputs = {array};
  array.bytes = {tokens, reinterpret_cast<const std::byte*>(tokens->data() + 1)};
  dataset.targets = array;
}

Dataset load_text(const Json& data, const Sources& sources, std::uint64_t) {
  const Content content = read_text_content(sources[0].file, kMostLanguageBytes);
  const std::vector<std::string_view> parts = parts_of(content.bytes, data["split"]);
  const std::unique_ptr<Vocabulary> vocabulary = vocabulary_of(data, content.bytes);
  auto tokens = std::make_shared<std::vector<std::int32_t>>();
  std::vector<std::int64_t> ends;
  for (const std::string_view part : parts) {
    vocabulary->encode(part, *tokens);
    ends.push_back(std::int64_t(tokens->size()));
  }
  Windows w = windows_of(data, ends[2]);
  w.train_end = ends[0];
  w.val_end = ends[1];
  if (w.items < w.need)
    throw DataError("length", fmt::format("a window needs {} tokens, but the text has {}", w.need, w.items),
                    "a smaller `length`", sources[0].file.string());
  Dataset dataset;
  const std::int64_t size = std::int64_t(vocabulary->names().size()), length = w.need - 1;
  dataset.schema.inputs = {{"x", {length}, size}};
  dataset.schema.classes = size;
  dataset.schema.target_shape = {length};
  dataset.schema.class_names = vocabulary->names();
  dataset.schema.sha256 = content_hash(data, sources, {content.sha256});
  set_windows(dataset, tokens, w);
  finish_splits(dataset, window_rows(w, data["split"]));
  return dataset;
}

/// Windows over another text, in the training text's tokens.
Fresh fresh_text(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  if (!options.needs_targets)
    throw DataError("data", "a language model foretells the next token at each position, which is no row of a table",
                    "`dlrun eval TRIAL --data FILE --metrics perplexity` measures it on a text; "
                    "`dlrun export --safetensors` hands it on");
  Fresh fresh{.dataset = {.schema = load_text(data, sources, seed).schema}};
  const std::string& file = options.files.at("path");
  auto tokens = std::make_shared<std::vector<std::int32_t>>();
  vocabulary_of(data, read_text_content(sources[0].file, kMostLanguageBytes).bytes)
      ->encode(read_text_content(file, kMostLanguageBytes).bytes, *tokens);
  const Windows w = windows_of(data, std::int64_t(tokens->size()));
  if (w.items < w.need)
    throw DataError("data", fmt::format("'{}' has {} tokens, but the model's window needs {}", file, w.items, w.need),
                    "a longer text", file);
  set_windows(fresh.dataset, tokens, w);
  use_all_rows(fresh.dataset);
  return fresh;
}

Json measured_text(const Json& data, const Sources& sources, std::uint64_t) {
  return {{"vocabulary", vocabulary_of(data, read_text_content(sources[0].file, kMostLanguageBytes).bytes)->names()}};
}

std::vector<FreshKey> text_keys(const Json&) { return {{"path", false, "a text, gzipped or not"}}; }

}  // namespace

Format text_format() {
  options::Variant kind{"text",
                        "a text for a language model: every token predicts the next",
                        {text("path", "a text, gzipped or not").must().file(),
                         integer("length", "tokens of an example").from(1).to(1e6).must(),
                         integer("step", "tokens from one example to the next; default: length").from(1).to(1e9),
                         vocabulary_option(), cache_option("a learned vocabulary")}};
  return {std::move(kind), SplitBy::order, find_path, load_text, text_keys, fresh_whole<fresh_text>, measured_text};
}

}  // namespace dlrun::dataset
