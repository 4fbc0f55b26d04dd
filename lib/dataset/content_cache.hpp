// SPDX-License-Identifier: Apache-2.0
// Cache of data that take long to make from files, by a hash of their content: decoded images, learned vocabularies.
// One file each under XDG_CACHE_HOME/dlrun/<kind> (else ~/.cache/dlrun/<kind>), named by what it depends on and by the
// SHA-256 of what it holds. It is written under another name and renamed, so two workers at once at most do the work
// twice. A file that does not hold what its name says is removed and made anew; one that cannot be written is no fault.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/arrays/mapped.hpp"

namespace dlrun::dataset {

/// XDG_CACHE_HOME/dlrun/<kind>, else below HOME; empty where neither is known.
std::filesystem::path cache_folder(const std::string& kind);

/// For whoever starts work: a worker with a wrong limit takes the usual one.
/// @throws Error(usage) where DLRUN_CACHE_MB is set and no whole number.
void require_cache_limit();

class ContentCache {
 public:
  /// @param kind  a folder.  @param key  SHA-256 of all that decides the content, in hexadecimal.
  /// @param is_used  `cache` of the section: else nothing is found and nothing kept.
  ContentCache(const std::string& kind, const std::string& key, bool is_used);

  /// Mapped, so that workers share its pages.
  std::optional<Mapped> find() const;
  /// Keeps the content, and removes the files of the kind that were used longest ago until all hold at most the limit:
  /// 4 GiB, or DLRUN_CACHE_MB (10^6 bytes; 0 keeps nothing). What alone is larger is not kept.
  void keep(std::string_view content) const;

 private:
  std::filesystem::path folder_;  ///< empty: no cache
  std::string key_;
};

}  // namespace dlrun::dataset
