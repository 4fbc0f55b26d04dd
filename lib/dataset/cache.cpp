// SPDX-License-Identifier: Apache-2.0
#include "dataset/cache.hpp"

#include <sys/stat.h>

#include <cstdlib>

#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

/// Raise it when a loader or the schema changes: older entries are then no longer found.
constexpr int kVersion = 1;
constexpr std::size_t kMostBytes = 64 << 20;

std::filesystem::path cache_folder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::filesystem::path(xdg) / "dlrun" / "schema";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache" / "dlrun" / "schema" : "";
}

/// Null where the file cannot be seen.
Json fingerprint(const Source& source) {
  struct stat info {};
  if (::stat(source.file.c_str(), &info) != 0) return nullptr;
  return {source.key, source.file.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ino};
}

Json to_json(const Schema& s) {
  return {{"input", s.input},       {"classes", s.classes}, {"targets", s.targets}, {"class_names", s.class_names},
          {"features", s.features}, {"columns", s.columns}, {"train", s.train},     {"val", s.val},
          {"test", s.test},         {"sha256", s.sha256}};
}

Schema schema_from(const Json& json) {
  Schema s;
  json.at("input").get_to(s.input);
  json.at("classes").get_to(s.classes);
  json.at("targets").get_to(s.targets);
  json.at("class_names").get_to(s.class_names);
  json.at("features").get_to(s.features);
  json.at("columns").get_to(s.columns);
  json.at("train").get_to(s.train);
  json.at("val").get_to(s.val);
  json.at("test").get_to(s.test);
  json.at("sha256").get_to(s.sha256);
  return s;
}

}  // namespace

SchemaCache::SchemaCache(const Json& data, const std::vector<Source>& sources, std::uint64_t seed) {
  const std::filesystem::path folder = cache_folder();
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
    const Json entry = parse_json(read_file(file_, kMostBytes), "schema");
    if (entry.at("check") != Sha256::hex_of(to_text(entry.at("schema")))) return std::nullopt;
    return schema_from(entry.at("schema"));
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
