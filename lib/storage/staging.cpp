// SPDX-License-Identifier: Apache-2.0
#include "storage/staging.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "storage/clock.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace fs = std::filesystem;

namespace {

fs::path lock_of(const fs::path& folder) { return folder.string() + ".lock"; }

void remove_all_of(const fs::path& folder) {
  std::error_code none;
  fs::remove_all(folder, none);
  fs::remove(lock_of(folder), none);
}

}  // namespace

Staging::Staging(const fs::path& store) : path_(store / "staging" / fmt::format("{}.{}", ::getpid(), now_ms())) {
  make_folders(path_.parent_path());
  lock_.emplace(lock_of(path_), "'" + path_.string() + "'");  // first: what has no lock may be swept
  make_folders(path_);
}

Staging::~Staging() {
  remove_all_of(path_);
  std::error_code none;
  fs::remove(path_.parent_path(), none);  // unless another is at work
}

void Staging::sweep(const fs::path& store) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(store / "staging", none)) {
    if (entry.path().extension() == ".lock" && !WriterLock::is_held(entry.path()))
      remove_all_of(entry.path().parent_path() / entry.path().stem());
  }
  fs::remove(store / "staging", none);
}

}  // namespace dlrun::storage
