// SPDX-License-Identifier: Apache-2.0
#include "steer.hpp"

#include "driver/driver.hpp"
#include "spec/study_spec.hpp"
#include "storage/optuna_rows.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

void write_to_study(const std::filesystem::path& folder, const std::string& study,
                    const std::function<void(storage::Store&)>& change) {
  const storage::StudyRow row = storage::Store::find(folder, study).value();
  const auto store = storage::Store::open(folder, study, spec::from_json(row.spec, row.spec_text).space);
  store->begin();
  change(*store);
  store->commit(storage::Durability::full);
  store->close();
}

Steered steer(const std::filesystem::path& store, const std::string& study, const Json& request,
              const std::function<void(storage::Store&)>& offline) {
  if (auto reply = driver::ask_running(store, study, request)) {
    if (reply->contains("error")) throw Error(ErrorKind::usage, (*reply)["error"].get<std::string>());
    return {true, std::move(*reply)};
  }
  const std::string command = request.at("command").get<std::string>();
  if (command != "note" && command != "tag") storage::require_own_study(store, study);
  write_to_study(store, study, offline);
  return {};
}

}  // namespace dlrun::cli
