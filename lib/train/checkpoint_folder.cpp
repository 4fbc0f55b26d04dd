// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint_folder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "util/files.hpp"

namespace dlrun::train {

namespace {

constexpr std::size_t kHeld = 2;

/// Twelve digits, so that names sort as numbers do.
std::string numbered(const char* kind, std::int64_t number) {
  return fmt::format("{}-{:012}.safetensors", kind, number);
}

void remove_quietly(const std::filesystem::path& path) {
  std::error_code ignored;  // a file that stays costs disk only, and goes with the attempt's folder
  std::filesystem::remove(path, ignored);
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, SaveRules rules)
    : folder_(std::move(folder)), rules_(rules) {}

bool CheckpointFolder::is_due() const { return Clock::now() - saved_ >= rules_.least; }

bool CheckpointFolder::is_durable_due() const { return Clock::now() - synced_ >= rules_.durable; }

void CheckpointFolder::save(std::string_view bytes, std::int64_t step, bool durable) {
  const std::filesystem::path path = folder_ / numbered("step", step);
  write_file(path, bytes, {.durable = durable});
  saved_ = Clock::now();
  if (durable) synced_ = saved_;
  if (held_.empty() || held_.back() != path) held_.push_back(path);
  if (held_.size() > kHeld) {
    remove_quietly(held_.front());
    held_.erase(held_.begin());
  }
}

void CheckpointFolder::save_best(std::string_view bytes, std::int64_t epoch) {
  const std::filesystem::path path = best_path(folder_, epoch);
  write_file(path, bytes, {.durable = false});
  best_ = epoch;
  if (std::find(bests_.begin(), bests_.end(), path) == bests_.end()) bests_.push_back(path);
  if (bests_.size() > kHeld + 1) {
    remove_quietly(bests_.front());
    bests_.erase(bests_.begin());
  }
}

std::vector<std::filesystem::path> CheckpointFolder::newest_first(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step-") && name.ends_with(".safetensors")) found.push_back(entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::filesystem::path CheckpointFolder::best_path(const std::filesystem::path& folder, std::int64_t epoch) {
  return folder / numbered("best", epoch);
}

}  // namespace dlrun::train
