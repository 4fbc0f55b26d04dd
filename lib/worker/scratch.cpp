// SPDX-License-Identifier: Apache-2.0
#include "worker/scratch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::worker {

namespace fs = std::filesystem;

namespace {

fs::path new_folder(const fs::path& parent) {
  make_folders(parent);
  std::string name = (fs::absolute(parent) / "worker-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) return name;
  throw Error(ErrorKind::outside,
              fmt::format("cannot make a folder in '{}': {}", parent.string(), std::generic_category().message(errno)));
}

/// Initial weights of the store are where this worker was brought them.
void move_init(Json& init, const trial::WorkSetup& theirs, const trial::WorkSetup& ours) {
  const std::string sha256 = trial::stored_init(theirs, init);
  if (!sha256.empty()) init["from"] = trial::artifact_file(ours, sha256).string();
}

}  // namespace

Scratch::Scratch(const fs::path& parent) : path_(new_folder(parent)) {}

void Scratch::remove() const {
  std::error_code none;
  fs::remove_all(path_, none);
}

trial::WorkSetup Scratch::setup(const trial::WorkSetup& theirs) const {
  trial::WorkSetup ours = theirs;
  ours.artifacts = (path_ / "artifacts").string();
  if (ours.trial.contains("init")) move_init(ours.trial["init"], theirs, ours);
  return ours;
}

trial::PieceOrder Scratch::order(const trial::WorkSetup& theirs, trial::PieceOrder order) const {
  const trial::Member& member = order.key.member;
  const std::string name = fmt::format("{}.r{}.f{}.p{}.a{}", member.trial.value, member.replicate, member.fold,
                                       order.key.piece, order.attempt);
  order.folder = (path_ / "attempts" / name).string();
  order.partial.clear();
  order.shared.reset();
  order.leaves.clear();
  if (order.sets.contains("init")) move_init(order.sets["init"], theirs, setup(theirs));
  return order;
}

void Scratch::keep_only(const std::vector<std::string>& sha256, const std::set<std::string>& folders) const {
  std::error_code none;
  for (const auto& attempt : fs::directory_iterator(path_ / "attempts", none)) {
    if (!folders.contains(attempt.path().string())) fs::remove_all(attempt.path(), none);
  }
  for (const auto& folder : fs::directory_iterator(path_ / "artifacts", none)) {
    for (const auto& file : fs::directory_iterator(folder.path(), none)) {
      const bool is_kept = std::find(sha256.begin(), sha256.end(), file.path().stem().string()) != sha256.end();
      if (!is_kept) fs::remove(file.path(), none);
    }
  }
}

}  // namespace dlrun::worker
