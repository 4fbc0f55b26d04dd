// SPDX-License-Identifier: Apache-2.0
#include "train/kept_epochs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::train {

namespace {

constexpr const char* kRole = "epoch";

std::filesystem::path list_of(const std::filesystem::path& folder) { return folder / "kept.json"; }

trial::Artifact artifact_from(const Json& json) {
  return {kRole, json.at("sha256").get<std::string>(), json.at("bytes").get<std::int64_t>(),
          json.at("step").get<std::int64_t>()};
}

std::vector<trial::Artifact> read(const std::filesystem::path& folder) {
  std::vector<trial::Artifact> found;
  if (!std::filesystem::exists(list_of(folder))) return found;
  const Json json = Json::parse(read_file(list_of(folder)), nullptr, false);
  try {
    for (const Json& one : json) found.push_back(artifact_from(one));
  } catch (const Json::exception&) {
    throw Error(ErrorKind::store, fmt::format("'{}' is damaged", list_of(folder).string()));
  }
  return found;
}

}  // namespace

KeptEpochs::KeptEpochs(std::vector<std::int64_t> epochs, std::filesystem::path folder)
    : epochs_(std::move(epochs)), folder_(std::move(folder)) {}

bool KeptEpochs::wants(std::int64_t epoch) const {
  return std::find(epochs_.begin(), epochs_.end(), epoch) != epochs_.end();
}

bool KeptEpochs::has(std::int64_t epoch) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const trial::Artifact& one) { return one.step == epoch; });
}

void KeptEpochs::add(trial::Artifact artifact) {
  if (has(artifact.step)) return;
  artifact.role = kRole;
  kept_.push_back(std::move(artifact));
  write();
}

void KeptEpochs::restore(const std::filesystem::path& folder, std::int64_t from, std::int64_t epoch) {
  if (epochs_.empty()) return;
  kept_ = read(folder);
  std::erase_if(kept_, [&](const trial::Artifact& one) { return one.step > epoch; });
  for (const std::int64_t wanted : epochs_) {
    if (wanted > from && wanted <= epoch && !has(wanted))
      throw Error(ErrorKind::store, fmt::format("the checkpoint kept of epoch {} is not known", wanted));
  }
  if (!kept_.empty()) write();
}

void KeptEpochs::write() const {
  Json json = Json::array();
  for (const trial::Artifact& one : kept_)
    json.push_back({{"sha256", one.sha256}, {"bytes", one.bytes}, {"step", one.step}});
  write_file(list_of(folder_), to_text(json) + "\n");
}

}  // namespace dlrun::train
