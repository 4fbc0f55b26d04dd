// SPDX-License-Identifier: Apache-2.0
// The list of formats, and a section held against the options of its kind.
#include <fmt/format.h>

#include "dataset/batch_section.hpp"
#include "dataset/formats.hpp"
#include "dataset/locate.hpp"
#include "dataset/options.hpp"
#include "dataset/partition_section.hpp"
#include "dataset/plugin_formats.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

/// Options that every format has.
std::vector<Format> with_common(std::vector<Format> formats) {
  for (Format& format : formats) {
    format.kind.table.push_back(split_option(format.split));
    for (options::Key& option : batch_options()) format.kind.table.push_back(std::move(option));
  }
  return formats;
}

std::vector<options::Variant> kinds_of(const std::vector<Format>& formats) {
  std::vector<options::Variant> kinds;
  for (const Format& format : formats) kinds.push_back(format.kind);
  return kinds;
}

bool is_set(const Json& map, const char* key) { return map.contains(key) && !map[key].is_null(); }

/// How a section splits: a table with another beside it as files that set examples aside.
SplitBy split_by(const Format& format, const Json& filled) {
  const bool is_table = format.split == SplitBy::columns || format.split == SplitBy::rows;
  const bool has_parts = is_table && (is_set(filled, "val") || is_set(filled, "test"));
  return has_parts ? SplitBy::parts : format.split;
}

}  // namespace

namespace {

const std::vector<Format>& own_formats() {
  static const std::vector<Format> all =
      with_common({csv_format(), svmlight_format(), idx_format(), cifar_format(), image_folder_format(), npy_format(),
                   npz_format(), safetensors_format(), series_format(), text_format(), text_classes_format()});
  return all;
}

std::vector<Format> all_formats() {
  std::vector<Format> all = own_formats();
  for (const plugin::Found* found : plugin::all_of(plugin::Kind::data)) {
    if (refusal(*found).empty()) all.push_back(with_common({plugin_format(*found)}).front());
  }
  return all;
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = all_formats();
  return all;
}

std::string refusal(const plugin::Found& found) {
  const plugin::Manifest& manifest = *found.manifest;
  for (const Format& own : own_formats()) {
    if (own.kind.name == manifest.name) return fmt::format("the name '{}' is a data kind of dlrun's", manifest.name);
    if (own.kind.name != "npz") continue;
    for (const options::Key& key : manifest.keys) {  // sections of a plugin have all keys of an archive too
      if (find(own.kind.table, key.name) != nullptr || key.name == "cache")
        return fmt::format("the key '{}' is one that data kinds have already", key.name);
    }
  }
  return {};
}

const std::vector<options::Variant>& data_kinds() {
  static const std::vector<options::Variant> kinds = kinds_of(formats());
  return kinds;
}

const Format& format_of(const Json& data) {
  for (const Format& format : formats()) {
    if (data.value("op", Json()) == format.kind.name) return format;
  }
  throw DataError("op", "the data section is of no known kind");
}

Sources find_path(const Json& data, const Locations& where) {
  return {{"path", find_file({"path", data["path"].get<std::string>()}, where)}};
}

Json normalised(const Json& data, std::vector<DataError>* sink) {
  Faults faults(sink);
  std::vector<std::string> known;
  for (const Format& format : formats()) {
    const options::Variant& kind = format.kind;
    known.push_back(kind.name);
    if (!data.is_object() || data.value("op", Json()) != kind.name) continue;
    Json filled = fill_in(data, kind.table, "", faults);
    filled["op"] = kind.name;
    finish_split(filled["split"], split_by(format, filled), faults);
    name_steps(filled, faults);
    finish_partition(filled, faults);
    return filled;
  }
  if (!data.is_object() || !data.contains("op")) {
    faults.add({"", "the data section needs 'op', its kind", "e.g. data: {op: csv, path: table.csv, target: -1}"});
    return Json::object();
  }
  const std::string op = data["op"].is_string() ? data["op"].get<std::string>() : "";
  faults.add({"op", fmt::format("there is no data kind {}", quoted(data["op"])), hint_for_name(op, known)});
  return Json::object();
}

}  // namespace dlrun::dataset
