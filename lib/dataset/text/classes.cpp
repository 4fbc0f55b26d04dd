// SPDX-License-Identifier: Apache-2.0
// op: text_classes. Texts with a class each: a column of a table, or files in a folder for each class.
#include <fmt/format.h>

#include <algorithm>

#include "dataset/bytes.hpp"
#include "dataset/formats.hpp"
#include "dataset/frame.hpp"
#include "dataset/locate.hpp"
#include "dataset/options.hpp"
#include "dataset/sheet.hpp"
#include "dataset/text/vocabulary.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostClassesBytes = std::size_t(4) << 30;
constexpr std::size_t kMostTextBytes = std::size_t(64) << 20;
constexpr std::size_t kMostNumbers = std::size_t(1) << 33;

/// Texts with their labels, from either layout.
struct Labelled {
  std::vector<std::string> texts;
  std::vector<std::int64_t> labels;
  std::vector<std::string> classes;
  std::vector<std::string> hashes;
};

bool is_folder(const Source& source) {
  std::error_code ignored;
  return fs::is_directory(source.file, ignored);
}

std::vector<fs::path> sorted_entries(const fs::path& folder, bool wants_folders) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const bool is_hidden = it->path().filename().string().front() == '.';
    if (!is_hidden && it->is_directory() == wants_folders) result.push_back(it->path());
  }
  if (error)
    throw DataError("path", fmt::format("cannot list '{}': {}", folder.string(), error.message()), "", folder.string());
  std::sort(result.begin(), result.end());
  return result;
}

Sources find_texts(const Json& data, const Locations& where) {
  Source source{"path", find_file({"path", data["path"].get<std::string>()}, where)};
  if (!is_folder(source)) return {source};
  for (const fs::path& folder : sorted_entries(source.file, true)) {
    const std::vector<fs::path> files = sorted_entries(folder, false);
    if (files.empty())
      throw DataError(
          "path", fmt::format("the class '{}' is empty: there is no file in its folder", folder.filename().string()),
          "put its texts there, or remove the folder", folder.string());
    source.parts.insert(source.parts.end(), files.begin(), files.end());
  }
  if (source.parts.empty())
    throw DataError("path", fmt::format("'{}' has no folders, but every class needs one", source.file.string()),
                    "a folder of texts for each class", source.file.string());
  return {source};
}

Content read_text(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored) && fs::is_empty(file, ignored))
    throw DataError("path", fmt::format("the text '{}' is empty", file.string()), "remove the file", file.string());
  return read_text_content(file, kMostTextBytes);
}

Labelled read_folder(const Json& data, const Source& source) {
  for (const char* key : {"text", "target", "header", "delimiter"}) {
    if (data[key].is_null()) continue;
    throw DataError(key, fmt::format("'{}' has no effect: '{}' is a folder, not a table", key, source.file.string()),
                    "remove it");
  }
  Labelled result;
  for (const fs::path& file : source.parts) {
    const std::string name = file.parent_path().filename().string();
    require_utf8(name, "the name of a class folder", file.parent_path().string());
    if (result.classes.empty() || result.classes.back() != name) result.classes.push_back(name);
    Content content = read_text(file);
    result.hashes.push_back(file.lexically_relative(source.file).generic_string() + " " + content.sha256);
    result.texts.push_back(std::move(content.bytes));
    result.labels.push_back(std::int64_t(result.classes.size()) - 1);
  }
  return result;
}

/// The section as one of a table with nothing but the target; the text's cells come along as those of a group.
Json class_table_section(const Json& data) {
  for (const char* key : {"text", "target"}) {
    if (data[key].is_null())
      throw DataError(key, fmt::format("a table of texts needs '{}'", key),
                      fmt::format("{}: a column by name or number", key));
    if (data[key].size() != 1) throw DataError(key, fmt::format("'{}' must be one column", key), "name one");
  }
  const auto given = [&](const char* key) { return data[key].is_null() ? Json("auto") : data[key]; };
  return {
      {"header", given("header")},    {"delimiter", given("delimiter")},
      {"target", data["target"]},     {"features", Json::array()},
      {"drop", Json::array()},        {"categorical", Json::array()},
      {"task", "classification"},     {"most_categories", 100000},
      {"missing", Json::array({""})}, {"split", {{"column", nullptr}, {"group", data["text"][0]}, {"time", nullptr}}}};
}

Labelled read_table(const Json& data, const Source& source) {
  const Content content = read_table_text(source.file, kMostClassesBytes);
  const Json section = class_table_section(data);
  const Sheet sheet = read_sheet(section, content.bytes, source.file.string());
  find_column(sheet, data["text"][0], "text");  // the reader of tables has another key
  Frame frame = frame_of(section, sheet, false);
  FrameTarget& target = frame.targets.front();
  return {
      std::move(frame.split_cells.at("group")), std::move(target.labels), std::move(target.classes), {content.sha256}};
}

/// [texts, length]: cut off or filled up behind.
std::vector<std::int32_t> encode_all(const Labelled& labelled, const Vocabulary& vocabulary, std::size_t length) {
  std::vector<std::int32_t> all, tokens;
  all.reserve(labelled.texts.size() * length);
  for (const std::string& text : labelled.texts) {
    tokens.clear();
    vocabulary.encode(text, tokens);
    tokens.resize(length, kPadding);
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  return all;
}

Labelled read_texts(const Json& data, const Sources& sources) {
  Labelled labelled = is_folder(sources[0]) ? read_folder(data, sources[0]) : read_table(data, sources[0]);
  if (labelled.classes.size() < 2)
    throw DataError("path", "there is one class only", "at least two are needed", sources[0].file.string());
  return labelled;
}

/// Texts with their splits, and the vocabulary of the training split.
struct Learned {
  Labelled labelled;
  Dataset dataset;  ///< data set but for its inputs
  std::unique_ptr<Vocabulary> vocabulary;
};

Learned learn_classes(const Json& data, const Sources& sources, std::uint64_t seed) {
  Learned learned{read_texts(data, sources), {}, nullptr};
  const Labelled& labelled = learned.labelled;
  Dataset& dataset = learned.dataset;
  dataset.schema.classes = std::int64_t(labelled.classes.size());
  dataset.schema.class_names = labelled.classes;
  dataset.schema.sha256 = content_hash(data, sources, labelled.hashes);
  const auto rows = std::int64_t(labelled.labels.size());
  dataset.targets = Array::of(labelled.labels);
  finish_splits(dataset, draw_split(data, {rows, labelled.labels, {}, {}}, seed));
  std::vector<std::string_view> known;
  for (const std::int64_t row : dataset.train) known.emplace_back(labelled.texts[std::size_t(row)]);
  learned.vocabulary = make_vocabulary(data["vocabulary"], known, data["cache"]);
  return learned;
}

void set_inputs(Dataset& dataset, const Json& data, const Labelled& labelled, const Vocabulary& vocabulary) {
  const auto length = data["length"].get<std::size_t>();
  if (labelled.texts.size() > kMostNumbers / length)
    throw DataError("length", fmt::format("{} texts of {} tokens are too much", labelled.texts.size(), length));
  dataset.schema.inputs = {{"x", {std::int64_t(length)}, std::int64_t(vocabulary.names().size())}};
  dataset.inputs = {Array::of(encode_all(labelled, vocabulary, length), std::int64_t(length))};
}

Dataset load_texts(const Json& data, const Sources& sources, std::uint64_t seed) {
  Learned learned = learn_classes(data, sources, seed);
  set_inputs(learned.dataset, data, learned.labelled, *learned.vocabulary);
  return std::move(learned.dataset);
}

Json measured_texts(const Json& data, const Sources& sources, std::uint64_t seed) {
  return {{"vocabulary", learn_classes(data, sources, seed).vocabulary->names()}};
}

std::int64_t class_of(const std::string& name, const std::vector<std::string>& classes, const std::string& place) {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return found - classes.begin();
  throw DataError("data", fmt::format("there is no class '{}' in the training data", name),
                  hint_for_name(name, classes), place);
}

/// New texts of a table, with their classes where they are needed.
Labelled read_new(const Json& data, const std::string& file, const FreshOptions& options, const Labelled& trained) {
  const Content content = read_table_text(file, kMostClassesBytes);
  Json section = class_table_section(data);
  const Sheet sheet = read_sheet(section, content.bytes, file);
  Labelled fresh{.classes = trained.classes};
  const std::size_t text = find_column(sheet, data["text"][0], "text");
  for (std::size_t row = sheet.first; row < sheet.table.rows(); ++row)
    fresh.texts.emplace_back(sheet.table.cell(row, text));
  if (!options.needs_targets) return fresh;
  const std::size_t target = find_column(sheet, data["target"][0], "target");
  for (std::size_t row = sheet.first; row < sheet.table.rows(); ++row) {
    fresh.labels.push_back(class_of(std::string(sheet.table.cell(row, target)), trained.classes,
                                    fmt::format("{}:{}", file, sheet.table.lines[row])));
  }
  return fresh;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files = sorted_entries(folder, false);
  for (const fs::path& inner : sorted_entries(folder, true)) {
    for (fs::path& file : files_below(inner)) files.push_back(std::move(file));
  }
  return files;
}

/// A folder of new texts: with a folder for each class where those are needed, else whatever lies in it and below.
Labelled read_new_folder(const fs::path& folder, const FreshOptions& options, const Labelled& trained, Fresh& fresh) {
  if (!fs::is_directory(folder))
    throw DataError("data",
                    fmt::format("'{}' is no folder, but the model was trained on a folder of texts", folder.string()),
                    "a folder with the texts in it, a file each");
  Labelled labelled{.classes = trained.classes};
  IdColumn names{"file", {}};
  const auto add = [&](const fs::path& file) {
    labelled.texts.push_back(read_text(file).bytes);
    names.cells.push_back(file.lexically_relative(folder).generic_string());
  };
  if (!options.needs_targets) {
    for (const fs::path& file : files_below(folder)) add(file);
  } else {
    for (const fs::path& below : sorted_entries(folder, true)) {
      const std::int64_t label = class_of(below.filename().string(), trained.classes, below.string());
      for (const fs::path& file : sorted_entries(below, false)) {
        add(file);
        labelled.labels.push_back(label);
      }
    }
  }
  if (labelled.texts.empty())
    throw DataError("data", fmt::format("there is no text in '{}'", folder.string()),
                    options.needs_targets ? "a folder of texts for each class" : "", folder.string());
  fresh.ids = {std::move(names)};
  return labelled;
}

Fresh fresh_texts(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Learned learned = learn_classes(data, sources, seed);
  const std::string& file = options.files.at("path");
  Fresh fresh;
  const Labelled labelled = is_folder(sources[0]) ? read_new_folder(file, options, learned.labelled, fresh)
                                                  : read_new(data, file, options, learned.labelled);
  fresh.dataset.schema = learned.dataset.schema;
  set_inputs(fresh.dataset, data, labelled, *learned.vocabulary);
  if (options.needs_targets)
    fresh.dataset.targets = Array::of(labelled.labels);
  else
    set_unknown_targets(fresh.dataset, std::int64_t(labelled.texts.size()));
  use_all_rows(fresh.dataset);
  return fresh;
}

}  // namespace

Format text_classes_format() {
  options::Variant kind{
      "text_classes",
      "texts with a class each",
      {text("path", "a table, or a folder with a folder of texts for each class").must().file(),
       key(options::Form::columns, "text", "the table's column of texts"),
       key(options::Form::columns, "target", "its column of classes"), boolean("header", "as of csv").or_word("auto"),
       text("delimiter", "as of csv"),
       integer("length", "tokens of an example; what is longer is cut off, what is shorter filled up with 0")
           .from(1)
           .to(1e6)
           .must(),
       vocabulary_option(), cache_option("a learned vocabulary")}};
  const auto keys = [](const Json&) {
    return std::vector<FreshKey>{{"path", false, "a table or a folder of texts, as in training"}};
  };
  return {std::move(kind), SplitBy::rows, find_texts, load_texts, keys, fresh_whole<fresh_texts>, measured_texts};
}

}  // namespace dlrun::dataset
