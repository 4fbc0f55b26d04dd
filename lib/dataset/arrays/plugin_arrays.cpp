// SPDX-License-Identifier: Apache-2.0
// Formats of plugins: their arrays are read in another process and kept by a hash of all that decides them; from there
// on they are arrays like any others.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "dataset/arrays/apart.hpp"
#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/array_parts.hpp"
#include "dataset/content_cache.hpp"
#include "dataset/locate.hpp"
#include "dataset/options.hpp"
#include "dataset/plugin_formats.hpp"
#include "tensors/header.hpp"
#include "util/hints.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

/// Raise it when the file that a reading leaves changes: older ones are then no longer found.
constexpr int kReadingVersion = 1;
constexpr const char* kReadings = "readings";
constexpr const char* kParts[] = {"inputs", "targets", "test_inputs", "test_targets"};

const plugin::Found& plugin_of(const Json& data) {
  return *plugin::find(plugin::Kind::data, data["op"].get<std::string>());
}

bool has_flag(const plugin::Found& found, const char* key) { return found.manifest->whole.value(key, false); }

// ---- files ----

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Source plugin_source(const plugin::Found& found, const std::string& key, const fs::path& file) {
  if (!fs::is_directory(file)) return {key, file};
  if (key != "path" || !has_flag(found, "folder"))
    throw DataError(key, fmt::format("'{}' is a folder, not a file", file.string()), "", file.string());
  Source source{key, file, files_below(file)};
  if (source.parts.empty())
    throw DataError(key, fmt::format("there is no file in '{}'", file.string()), "", file.string());
  return source;
}

std::vector<std::string> file_keys_of(const plugin::Found& found, const Json& data) {
  std::vector<std::string> keys{"path"};
  for (const options::Key& key : found.manifest->keys) {
    if (key.is_file && data[key.name].is_string()) keys.push_back(key.name);
  }
  return keys;
}

Sources find_plugin_files(const Json& data, const Locations& where) {
  const plugin::Found& found = plugin_of(data);
  Sources sources;
  for (const std::string& key : file_keys_of(found, data))
    sources.push_back(plugin_source(found, key, find_file({key, data[key].get<std::string>()}, where)));
  return sources;
}

/// A folder counts by the names and hashes of its files.
std::string hash_of(const Source& source) {
  if (source.parts.empty()) return map_file(source.file, source.key).sha256;
  Json files = Json::array();
  for (const fs::path& file : source.parts) {
    const bool is_empty = fs::file_size(file) == 0;
    files.push_back({file.lexically_relative(source.file).string(), is_empty ? "" : map_file(file, source.key).sha256});
  }
  return Sha256::hex_of(to_text(files));
}

// ---- one reading ----

Json empty_names() {
  Json names;
  for (const char* part : kParts) names[part] = Json::object();
  return names;
}

/// Arrays that are asked for. @param needs_test, needs_targets  false: those are left out
Json wanted_names(const Json& data, bool needs_test, bool needs_targets) {
  Json names = empty_names();
  if (!has_flag(plugin_of(data), "names")) return names;
  for (const char* part : kParts) {
    const std::string_view name(part);
    if ((!needs_test && name.starts_with("test_")) || (!needs_targets && name.ends_with("targets"))) continue;
    for (const Named& one : named(data, part)) names[part][one.name] = one.where;
  }
  return names;
}

Reading reading_of(const Json& data, const Sources& sources, Json names) {
  Reading reading{&plugin_of(data), Json::object(), {}, std::move(names)};
  for (const options::Key& key : reading.plugin->manifest->keys) {
    if (!key.is_file) reading.options[key.name] = data[key.name];
  }
  for (const Source& source : sources) reading.files[source.key] = fs::absolute(source.file);
  return reading;
}

/// The arrays of a section, and the section with their names.
struct ReadArrays {
  Archive archive;
  std::vector<std::string> hashes;  ///< one for each source
  Json data;
  std::map<std::string, std::shared_ptr<const std::vector<std::string>>> texts;  ///< by tensor
  std::string file;                                                              ///< for messages

  RawTensor get(const Named& wanted, const std::string& key) const {
    const std::string part = wanted.key.substr(0, wanted.key.find('.')), name = part + "/" + wanted.name;
    RawTensor raw = archive.get(name, key);
    raw.name = fmt::format("{} in '{}'", quoted(Json(wanted.where.empty() ? part : wanted.where)), file);
    if (const auto found = texts.find(name); found != texts.end()) raw.texts = found->second;
    return raw;
  }
};

/// The names that a plugin chose.
void name_arrays(ReadArrays& read) {
  for (const char* part : kParts) {
    Json names = Json::object();
    for (const auto& [tensor, get] : read.archive.tensors) {
      const std::string begin = std::string(part) + "/";
      if (tensor.starts_with(begin)) names[tensor.substr(begin.size())] = tensor.substr(begin.size());
    }
    const bool is_single = names.size() == 1 && names.contains("");
    read.data[part] = names.empty() ? Json() : is_single ? Json("") : names;
  }
  if (read.data["targets"].is_null())
    throw DataError("path", fmt::format("plugin {} gave no targets for '{}'", quoted(read.data["op"]), read.file));
}

void take_texts(ReadArrays& read) {
  const Json all = parse_json(tensors::read_header(read.archive.mapped.text()).metadata.at("texts"), "texts");
  for (const auto& [tensor, texts] : all.items())
    read.texts[tensor] = std::make_shared<const std::vector<std::string>>(texts.get<std::vector<std::string>>());
}

std::vector<std::string> hashes_of(const Sources& sources) {
  std::vector<std::string> hashes;
  for (const Source& source : sources) hashes.push_back(hash_of(source));
  return hashes;
}

/// @param hashes  of the sources, before
Mapped read_now(const Reading& reading, const Sources& sources, const std::vector<std::string>& hashes,
                const fs::path& folder) {
  Mapped mapped = read_apart(reading, folder);
  if (hashes_of(sources) == hashes) return mapped;
  throw DataError::unreadable("path", fmt::format("'{}' was changed while it was read", sources[0].file.string()), EIO);
}

Mapped arrays_of(const Reading& reading, const Sources& sources, const std::vector<std::string>& hashes,
                 bool is_cached) {
  const Json key{kReadingVersion, plugin::hash_of(*reading.plugin), reading.options, reading.names, hashes};
  const ContentCache cache(kReadings, Sha256::hex_of(to_text(key)), is_cached);
  if (std::optional<Mapped> known = cache.find()) return *known;
  const fs::path folder = is_cached ? cache_folder(kReadings) : fs::path();
  Mapped mapped = read_now(reading, sources, hashes, folder.empty() ? fs::temp_directory_path() : folder);
  cache.keep(mapped.text());
  return mapped;
}

ReadArrays read_arrays(const Json& data, const Sources& sources, Json names) {
  const bool are_named = has_flag(plugin_of(data), "names");
  ReadArrays read{{}, hashes_of(sources), data, {}, sources.front().file.string()};
  const Mapped mapped = arrays_of(reading_of(data, sources, std::move(names)), sources, read.hashes, uses_cache(data));
  read.archive = safetensors_in(mapped, read.file);
  take_texts(read);
  if (!are_named) name_arrays(read);
  return read;
}

// ---- the format ----

Dataset load_plugin(const Json& data, const Sources& sources, std::uint64_t seed) {
  const ReadArrays read = read_arrays(data, sources, wanted_names(data, true, true));
  const Get get = [&](const Named& wanted) { return read.get(wanted, wanted.key); };
  return assemble(read.data, get, content_hash(data, sources, read.hashes), seed);
}

std::vector<FreshKey> plugin_fresh_keys(const Json& data) {
  std::vector<FreshKey> keys;
  for (const std::string& key : file_keys_of(plugin_of(data), data))
    keys.push_back({key, false, key == "path" ? "a file with arrays of the same names" : "as the section's"});
  return keys;
}

std::unique_ptr<FreshStream> fresh_plugin(const Json& data, const Sources& sources, const FreshOptions& options,
                                          std::uint64_t seed) {
  try {
    Sources fresh;
    for (const Source& source : sources)
      fresh.push_back(plugin_source(plugin_of(data), source.key, options.files.at(source.key)));
    const ReadArrays read = read_arrays(data, fresh, wanted_names(data, false, options.needs_targets));
    const Get get = [&](const Named& wanted) { return read.get(wanted, "data"); };
    return fresh_arrays(read.data, get, {read.archive.mapped}, options, load_plugin(data, sources, seed));
  } catch (const DataError& fault) {
    throw DataError::of("data", fault, fault.place());
  }
}

options::Table plugin_keys(const plugin::Found& found) {
  options::Table keys{text("path", has_flag(found, "folder") ? "the file or folder" : "the file").must().file()};
  for (options::Key& key : array_options("an array of the file")) {
    const bool is_name = std::find(std::begin(kParts), std::end(kParts), key.name) != std::end(kParts);
    if (!is_name || has_flag(found, "names")) keys.push_back(std::move(key));
  }
  keys.push_back(cache_option("the arrays as they were read"));
  keys.insert(keys.end(), found.manifest->keys.begin(), found.manifest->keys.end());
  return keys;
}

}  // namespace

Reading reading_of(const Json& data, const Locations& where) {
  return reading_of(data, find_plugin_files(data, where), wanted_names(data, true, true));
}

Format plugin_format(const plugin::Found& found) {
  return {{found.manifest->name, found.manifest->about, plugin_keys(found)},
          SplitBy::parts,
          find_plugin_files,
          load_plugin,
          plugin_fresh_keys,
          fresh_plugin,
          nullptr,
          plugin::hash_of(found)};
}

}  // namespace dlrun::dataset
