// SPDX-License-Identifier: Apache-2.0
#include "guest/guest_exporter.hpp"

#include <nlohmann/json.hpp>

namespace dlrun::guest {

namespace {

constexpr std::size_t kMostValues = 10'000;  ///< most in a message

}  // namespace

GuestExporter::GuestExporter(const std::string& name, Json options, Limits limits)
    : process_({.kind = plugin::Kind::exporter, .name = name, .options = std::move(options), .setting = Json::object()},
               std::move(limits)) {}

void GuestExporter::begin(const Json& head) { process_.call({{"call", "begin"}, {"study", head}}); }

void GuestExporter::add_trial(Json trial) {
  values_ += 1 + trial.at("points").size();
  trials_.push_back(std::move(trial));
  if (values_ >= kMostValues) flush();
}

void GuestExporter::flush() {
  process_.call({{"call", "add"}, {"trials", std::move(trials_)}});
  trials_ = Json::array();
  values_ = 0;
}

void GuestExporter::write(const std::filesystem::path& folder) {
  if (!trials_.empty()) flush();
  process_.call({{"call", "write"}, {"folder", folder.string()}});
}

void GuestExporter::finish(const std::filesystem::path& folder) {
  process_.call({{"call", "finish"}, {"folder", folder.string()}});
}

}  // namespace dlrun::guest
