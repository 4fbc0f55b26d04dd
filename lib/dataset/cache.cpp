// SPDX-License-Identifier: Apache-2.0
#include "dataset/cache.hpp"

#include <sys/stat.h>

#include "dataset/content_cache.hpp"
#include "dataset/schema_json.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

/// Raise it when a loader or the schema changes: older entries are then no longer found.
constexpr int kVersion = 5;
constexpr std::size_t kMostCacheBytes = 64 << 20;

/// Empty where the file cannot be seen.
std::string stamp_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return {};
  return to_text({file.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ino});
}

/// Null where a file cannot be seen.
Json fingerprint(const Source& source) {
  Sha256 hash;
  std::vector<std::filesystem::path> files = source.parts;
  if (files.empty()) files.push_back(source.file);
  for (const std::filesystem::path& file : files) {
    const std::string stamp = stamp_of(file);
    if (stamp.empty()) return nullptr;
    hash.add(stamp);
  }
  return {source.key, hash.finish_hex()};
}

}  // namespace

SchemaCache::SchemaCache(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::filesystem::path folder = cache_folder("schema");
  Json key{kVersion, data, split_seed(data, seed)};
  for (const Source& source : sources) {
    key.push_back(fingerprint(source));
    if (key.back().is_null()) return;
  }
  if (!folder.empty()) file_ = folder / (Sha256::hex_of(to_text(key)) + ".json");
}

std::optional<Schema> SchemaCache::find() const {
  std::error_code ignored;
  if (file_.empty() || !std::filesystem::exists(file_, ignored)) return std::nullopt;
  try {
    const Json entry = parse_json(read_file(file_, kMostCacheBytes), "schema");
    if (entry.at("check") != Sha256::hex_of(to_text(entry.at("schema")))) return std::nullopt;
    return schema_from_json(entry.at("schema"));
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: as if it were not there
  }
}

void SchemaCache::keep(const Schema& schema) const {
  if (file_.empty()) return;
  try {
    const Json json = to_json(schema);
    make_folders(file_.parent_path());
    write_file(file_, to_text({{"schema", json}, {"check", Sha256::hex_of(to_text(json))}}), {.durable = false});
  } catch (const Error&) {
    return;  // a full or read-only disk: the next check reads the data again
  }
}

}  // namespace dlrun::dataset
