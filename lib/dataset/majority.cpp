// SPDX-License-Identifier: Apache-2.0
#include "dataset/majority.hpp"

#include <algorithm>
#include <optional>

#include "dataset/content_cache.hpp"
#include "dataset/formats.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

using ShareByName = std::map<std::string, double>;

constexpr std::size_t kMostMajorityBytes = 1 << 16;

bool has_one_label(const Schema& schema) {
  return schema.classes > 0 && schema.target_shape.empty() && schema.several.empty();
}

ShareByName counted(const Dataset& dataset) {
  ShareByName shares;
  const std::pair<const char*, const std::vector<std::int64_t>*> splits[] = {
      {"train", &dataset.train}, {"val", &dataset.val}, {"test", &dataset.test}};
  for (const auto& [name, rows] : splits) {
    if (!rows->empty()) shares[name] = majority_share(dataset, *rows);
  }
  return shares;
}

/// Empty: no cache.
std::filesystem::path cache_file(const Json& data, const Schema& schema, std::uint64_t seed) {
  const std::filesystem::path folder = cache_folder("majority");
  if (folder.empty()) return {};
  const Json key{schema.sha256, without_paths(data), split_seed(data, seed)};
  return folder / (Sha256::hex_of(to_text(key)) + ".json");
}

std::optional<ShareByName> find(const std::filesystem::path& file) {
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    return parse_json(read_file(file, kMostMajorityBytes), "shares").get<ShareByName>();
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: as if it were not there
  }
}

void keep(const std::filesystem::path& file, const ShareByName& shares) {
  if (file.empty()) return;
  try {
    make_folders(file.parent_path());
    write_file(file, to_text(Json(shares)), {.durable = false});
  } catch (const Error&) {
    return;  // a full or read-only disk: the next check reads the data again
  }
}

}  // namespace

double majority_share(const Dataset& dataset, const std::vector<std::int64_t>& rows) {
  std::vector<std::int64_t> counts(std::size_t(dataset.schema.classes));
  for (const std::int64_t row : rows) ++counts.at(std::size_t(dataset.targets.index(row)));
  return double(*std::max_element(counts.begin(), counts.end())) / double(rows.size());
}

ShareByName majority_shares(const Json& data, const Schema& schema, std::uint64_t seed) {
  if (!has_one_label(schema)) return {};
  const std::filesystem::path file = cache_file(data, schema, seed);
  if (auto known = find(file)) return *known;
  ShareByName shares = counted(load(data, {}, seed));
  keep(file, shares);
  return shares;
}

}  // namespace dlrun::dataset
