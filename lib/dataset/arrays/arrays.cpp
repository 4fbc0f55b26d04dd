// SPDX-License-Identifier: Apache-2.0
// op: npy, npz, safetensors. Arrays with the examples along their first size: one or several inputs, and the targets.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/array_parts.hpp"
#include "dataset/arrays/npy.hpp"
#include "dataset/locate.hpp"

namespace dlrun::dataset {

namespace {

Sources find_npy(const Json& data, const Locations& where) {
  Sources sources;
  for (const char* key : {"inputs", "test_inputs", "targets", "test_targets"}) {
    for (const Named& array : named(data, key))
      sources.push_back({array.key, find_file({array.key, array.where}, where)});
  }
  return sources;
}

RawTensor tensor_of(const Mapped& file, const std::string& name, const std::string& key) {
  return read_npy(file.bytes, file.size, fmt::format("'{}'", name), key);
}

Dataset load_npy(const Json& data, const Sources& sources, std::uint64_t seed) {
  std::map<std::string, Mapped> files;
  std::vector<std::string> hashes;
  for (const Source& source : sources) {
    hashes.push_back(files.emplace(source.key, map_file(source.file, source.key)).first->second.sha256);
  }
  const Get get = [&](const Named& wanted) {
    const auto source =
        std::find_if(sources.begin(), sources.end(), [&](const Source& s) { return s.key == wanted.key; });
    return tensor_of(files.at(wanted.key), source->file.string(), wanted.key);
  };
  return assemble(data, get, content_hash(data, sources, hashes), seed);
}

Dataset load_archive(const Archive& archive, const Json& data, const Sources& sources, std::uint64_t seed) {
  const Get get = [&](const Named& wanted) { return archive.get(wanted.where, wanted.key); };
  return assemble(data, get, content_hash(data, sources, {archive.sha256}), seed);
}

Dataset load_npz(const Json& data, const Sources& sources, std::uint64_t seed) {
  return load_archive(open_npz(sources[0].file), data, sources, seed);
}

Dataset load_safetensors(const Json& data, const Sources& sources, std::uint64_t seed) {
  return load_archive(open_safetensors(sources[0].file), data, sources, seed);
}

using Stream = std::unique_ptr<FreshStream>;

Stream fresh_npy(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  std::vector<Mapped> files;
  const Get get = [&](const Named& wanted) {
    const std::string& file = options.files.at(wanted.key);
    files.push_back(map_file(file, "data", false));
    return tensor_of(files.back(), file, "data");
  };
  return fresh_arrays(data, get, files, options, load_npy(data, sources, seed));
}

/// The arrays of a new archive have the names that the section gives.
Stream fresh_archive(const Archive& archive, const Json& data, const FreshOptions& options, const Dataset& trained) {
  const Get get = [&](const Named& wanted) { return archive.get(wanted.where, "data"); };
  std::vector<Mapped> files;
  if (archive.mapped.bytes != nullptr) files = {archive.mapped};
  return fresh_arrays(data, get, files, options, trained);
}

Stream fresh_npz(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  return fresh_archive(open_npz(options.files.at("path")), data, options, load_npz(data, sources, seed));
}

Stream fresh_safetensors(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Archive archive = open_safetensors(options.files.at("path"), false);
  return fresh_archive(archive, data, options, load_safetensors(data, sources, seed));
}

/// A file for each array. A name that is an input's and a target's too has no short form.
std::vector<FreshKey> npy_keys(const Json& data) {
  std::vector<FreshKey> keys;
  const std::vector<Named> inputs = named(data, "inputs"), targets = named(data, "targets");
  const auto has = [](const std::vector<Named>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
  };
  for (const Named& input : inputs)
    keys.push_back({input.key, false, "a file of examples", has(targets, input.name) ? "" : input.name});
  for (const Named& target : targets)
    keys.push_back({target.key, true, "the file of their targets", has(inputs, target.name) ? "" : target.name});
  return keys;
}

std::vector<FreshKey> archive_keys(const Json&) {
  return {{"path", false, "an archive with arrays of the same names"}};
}

options::Variant archive_kind(const char* op, const char* text) {
  options::Variant kind{op, text, {options::text("path", "the file").must().file()}};
  for (options::Key& option : array_options("an array of the file")) kind.table.push_back(std::move(option));
  return kind;
}

}  // namespace

Format npy_format() {
  options::Variant kind{"npy", "arrays of numpy, a file each; mapped where type and order allow",
                        array_options("a file")};
  for (options::Key& option : kind.table)
    option.is_file = option.name.ends_with("inputs") || option.name.ends_with("targets");
  return {std::move(kind), SplitBy::parts, find_npy, load_npy, npy_keys, fresh_npy};
}

Format npz_format() {
  return {archive_kind("npz", "arrays of numpy in one archive, stored or deflated"),
          SplitBy::parts,
          find_path,
          load_npz,
          archive_keys,
          fresh_npz};
}

Format safetensors_format() {
  return {archive_kind("safetensors", "named tensors in one file; mapped where the type allows"),
          SplitBy::parts,
          find_path,
          load_safetensors,
          archive_keys,
          fresh_safetensors};
}

}  // namespace dlrun::dataset
