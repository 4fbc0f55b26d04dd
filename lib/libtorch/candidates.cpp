// SPDX-License-Identifier: Apache-2.0
#include "libtorch/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "libtorch/requirement.hpp"
#include "libtorch/version.hpp"

namespace dlrun::libtorch {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMainLibrary = "lib/libtorch_cpu.so";

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path cache_of_user() {
  if (const std::string xdg = variable("XDG_CACHE_HOME"); xdg.starts_with('/')) return fs::path(xdg) / "dlrun";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? fs::path(home) / ".cache" / "dlrun" : fs::path();
}

std::string fault_of(const Candidate& candidate) {
  if (!is_there(candidate.folder)) return "is not there";
  if (!is_there(candidate.folder / kMainLibrary)) return fmt::format("has no {}", kMainLibrary);
  if (candidate.version.empty()) return fmt::format("does not say its version; needed is {}", needed_version());
  if (without_build(candidate.version) == needed_version()) return {};
  return fmt::format("is {}; needed is {}", candidate.version, needed_version());
}

/// Collects candidates of one origin after the other.
class Search {
 public:
  void add_folder(const std::string& origin, const fs::path& folder) {
    Candidate candidate{.origin = origin, .folder = folder, .version = {}, .fault = {}};
    if (is_there(folder)) candidate.version = version_of(folder);
    candidate.fault = fault_of(candidate);
    found_.push_back(std::move(candidate));
  }
  void add_none(const std::string& origin, const std::string& why) { found_.push_back({origin, {}, {}, why}); }
  std::vector<Candidate> release() { return std::move(found_); }

 private:
  std::vector<Candidate> found_;
};

std::vector<fs::path> folders_like(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, none)) {
    if (entry.path().filename().string().starts_with(prefix) && entry.is_directory(none)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// DLRUN_TORCH may name the package, a libtorch distribution, or the folder that holds one of them.
void add_chosen(const fs::path& chosen, Search& search) {
  if (chosen.empty()) return search.add_none("DLRUN_TORCH", "is not set");
  const bool is_parent = !is_there(chosen / kMainLibrary) && is_there(chosen / "torch" / kMainLibrary);
  search.add_folder("DLRUN_TORCH", is_parent ? chosen / "torch" : chosen);
}

/// A wheel's programs are site-packages/dlrun/bin; a build folder has a link to the libtorch it was built with.
void add_beside(const fs::path& program_folder, Search& search) {
  const fs::path site = program_folder.parent_path().parent_path();
  if (site.filename() == "site-packages" || site.filename() == "dist-packages") {
    search.add_folder("beside dlrun", site / "torch");
  } else if (const fs::path built = program_folder.parent_path() / "torch"; is_there(built / kMainLibrary)) {
    search.add_folder("beside dlrun", built);
  } else {
    search.add_none("beside dlrun", "is no Python environment");
  }
}

void add_environment(const char* name, const fs::path& prefix, Search& search) {
  if (prefix.empty()) return search.add_none(name, "is not set");
  const auto pythons = folders_like(prefix / "lib", "python3");
  if (pythons.empty()) return search.add_folder(name, prefix / "lib/python3/site-packages/torch");
  for (const fs::path& python : pythons) search.add_folder(name, python / "site-packages/torch");
}

void add_cached(const fs::path& cache, Search& search) {
  if (cache.empty()) return search.add_none("cache", "neither XDG_CACHE_HOME nor HOME is set");
  const std::string needed = std::string("torch-") + needed_version();
  for (const char* profile : {"-gpu", "-cpu"}) search.add_folder("cache", cache / (needed + profile) / "torch");
  for (const fs::path& folder : folders_like(cache, "torch-")) {
    if (!folder.filename().string().starts_with(needed + "-")) search.add_folder("cache", folder / "torch");
  }
}

}  // namespace

Surroundings surroundings() {
  std::error_code none;
  return {.program_folder = fs::read_symlink("/proc/self/exe", none).parent_path(),
          .chosen = variable("DLRUN_TORCH"),
          .venv = variable("VIRTUAL_ENV"),
          .conda = variable("CONDA_PREFIX"),
          .cache = cache_of_user()};
}

std::vector<Candidate> candidates(const Surroundings& around) {
  Search search;
  add_chosen(around.chosen, search);
  add_beside(around.program_folder, search);
  add_environment("VIRTUAL_ENV", around.venv, search);
  add_environment("CONDA_PREFIX", around.conda, search);
  add_cached(around.cache, search);
  return search.release();
}

std::string describe(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& candidate : candidates) {
    if (candidate.folder.empty() || candidate.fits()) continue;
    text += fmt::format("{}'{}' ({}) {}", text.empty() ? "" : "; ", candidate.folder.string(), candidate.origin,
                        candidate.fault);
  }
  return text;
}

}  // namespace dlrun::libtorch
