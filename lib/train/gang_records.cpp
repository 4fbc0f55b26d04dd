// SPDX-License-Identifier: Apache-2.0
#include "train/gang_records.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tensors/safetensors.hpp"
#include "train/artifacts.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

constexpr const char* kHex = "0123456789abcdef";

std::string name_of(std::size_t process) { return fmt::format("process.{}", process); }

std::vector<std::string> processes_in(const tensors::SafeTensors& file, const std::string& what) {
  std::vector<std::string> all;
  while (const tensors::TensorView* const own = file.find(name_of(all.size()))) all.emplace_back(own->bytes);
  if (all.empty() || all.size() != file.tensors().size())
    throw Error(ErrorKind::store, what + " is no record of processes");
  return all;
}

}  // namespace

void GangRecords::replay(std::filesystem::path artifacts, std::vector<trial::Artifact> files) {
  artifacts_ = std::move(artifacts);
  replayed_ = std::move(files);
}

const std::vector<std::string>& GangRecords::read(std::int64_t epoch) {
  const auto found =
      std::find_if(replayed_.begin(), replayed_.end(), [&](const auto& file) { return file.step == epoch; });
  if (found == replayed_.end()) throw Error(ErrorKind::store, fmt::format("epoch {} was not recorded", epoch));
  const std::string what = fmt::format("the record of epoch {}, artifact {}", epoch, found->sha256);
  processes_ = processes_in(tensors::SafeTensors(fetch(artifacts_, found->sha256), what), what);
  return processes_;
}

void GangRecords::set_record(int process, std::string bytes) {
  processes_.resize(std::max(processes_.size(), std::size_t(process) + 1));
  processes_[std::size_t(process)] = std::move(bytes);
}

std::optional<std::string> GangRecords::of(int process) const {
  return std::size_t(process) < processes_.size() ? std::optional(processes_[std::size_t(process)]) : std::nullopt;
}

std::optional<std::string> GangRecords::file(std::int64_t epoch) {
  if (processes_.empty()) return std::nullopt;
  std::vector<tensors::TensorView> all;
  for (const std::string& one : processes_) all.push_back({name_of(all.size()), "U8", {std::int64_t(one.size())}, one});
  std::string bytes = tensors::write_safetensors(std::move(all), {{"epoch", std::to_string(epoch)}});
  processes_.clear();
  return bytes;
}

Json GangRecords::counters() const {
  Json all = Json::array();
  for (const trial::Artifact& one : published_) all.push_back({one.step, one.sha256, one.bytes});
  return all;
}

void GangRecords::restore(const Json& counters) {
  published_.clear();
  for (const Json& one : counters)
    published_.push_back(
        {trial::kRecord, one.at(1).get<std::string>(), one.at(2).get<std::int64_t>(), one.at(0).get<std::int64_t>()});
}

std::string hex_of(const std::string& bytes) {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const unsigned value = static_cast<unsigned char>(byte);
    hex.push_back(kHex[value / 16]);
    hex.push_back(kHex[value % 16]);
  }
  return hex;
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  const auto digit = [&](std::size_t at) { return std::string_view(kHex).find(hex[at]); };
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(16 * digit(2 * i) + digit(2 * i + 1));
  return bytes;
}

}  // namespace dlrun::train
