// SPDX-License-Identifier: Apache-2.0
#include "dataset/content_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "dataset/dataset.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

namespace fs = std::filesystem;

const std::string kEnding = ".bin";
constexpr std::size_t kUsualLimit = std::size_t(4) << 30;

/// DLRUN_CACHE_MB; empty where it is not set.
std::string_view asked_text() {
  const char* const text = std::getenv("DLRUN_CACHE_MB");
  return text == nullptr ? "" : text;
}

/// Bytes of DLRUN_CACHE_MB. nullopt: it is not set, or no whole number
std::optional<std::size_t> asked_limit() {
  const std::string_view digits = asked_text();
  std::size_t megabytes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), megabytes);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return std::min(megabytes, std::size_t(1) << 40) * 1'000'000;
}

std::size_t limit() { return asked_limit().value_or(kUsualLimit); }

struct CachedFile {
  fs::file_time_type used;
  fs::path file;
  std::size_t bytes;
};

/// Files of a folder, the one used longest ago first.
std::vector<CachedFile> entries_of(const fs::path& folder) {
  std::vector<CachedFile> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another worker may remove it meanwhile
    const CachedFile entry{it->last_write_time(gone), it->path(), gone ? 0 : std::size_t(it->file_size(gone))};
    if (!gone) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const CachedFile& a, const CachedFile& b) {
    return a.used != b.used ? a.used < b.used : a.file < b.file;
  });
  return entries;
}

/// Removes the oldest until `needed` more bytes fit in.
void make_room(const fs::path& folder, std::size_t needed) {
  const std::vector<CachedFile> entries = entries_of(folder);
  std::size_t all = needed;
  for (const CachedFile& entry : entries) all += entry.bytes;
  std::error_code ignored;
  for (const CachedFile& entry : entries) {
    if (all <= limit()) return;
    fs::remove(entry.file, ignored);
    all -= entry.bytes;
  }
}

}  // namespace

void require_cache_limit() {
  if (!asked_text().empty() && !asked_limit())
    throw Error(ErrorKind::usage,
                fmt::format("DLRUN_CACHE_MB must be a whole number of megabytes, but is '{}'", asked_text()),
                "0 keeps nothing; without it 4 GiB of each kind are kept");
}

fs::path cache_folder(const std::string& kind) {
  const char* const xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return fs::path(xdg) / "dlrun" / kind;
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".cache" / "dlrun" / kind : "";
}

ContentCache::ContentCache(const std::string& kind, const std::string& key, bool is_used) : key_(key) {
  if (is_used) folder_ = cache_folder(kind);
}

std::optional<Mapped> ContentCache::find() const {
  if (folder_.empty()) return std::nullopt;
  for (const CachedFile& entry : entries_of(folder_)) {
    const std::string name = entry.file.filename().string();
    if (!name.starts_with(key_ + "-") || !name.ends_with(kEnding)) continue;
    std::error_code ignored;
    try {
      Mapped mapped = map_file(entry.file, "cache");
      if (name == key_ + "-" + mapped.sha256 + kEnding) {
        fs::last_write_time(entry.file, fs::file_time_type::clock::now(), ignored);
        return mapped;
      }
    } catch (const DataError&) {
      // not to be read: as if it were damaged
    }
    fs::remove(entry.file, ignored);
  }
  return std::nullopt;
}

void ContentCache::keep(std::string_view content) const {
  if (folder_.empty() || content.empty() || content.size() > limit()) return;
  try {
    make_folders(folder_);
    make_room(folder_, content.size());
    write_file(folder_ / (key_ + "-" + Sha256::hex_of(content) + kEnding), content, {.durable = false});
  } catch (const Error&) {
    return;  // a full or read-only disk: the next one makes it again
  }
}

}  // namespace dlrun::dataset
