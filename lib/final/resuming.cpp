// SPDX-License-Identifier: Apache-2.0
#include "final/resuming.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/trial_reader.hpp"
#include "spec/continued_schedule.hpp"
#include "spec/resumed_settings.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::final {

namespace {

[[noreturn]] void refuse(const std::string& why, const std::string& help) {
  throw Error(ErrorKind::usage, "E406: 'resume' goes on with " + why, help);
}

Json config_of(const std::filesystem::path& store, const warmstart::Donor& donor) {
  return report::TrialReader(store, {donor.study, donor.trial}).config();
}

struct Reason {
  std::string why, help;  ///< empty: there is none
};

Reason difference(const Resumption& wanted, const Json& config) {
  const std::string donor = wanted.donor.describe();
  if (wanted.donor.horizon > 0 && wanted.donor.horizon != wanted.epochs)
    return {fmt::format("{}, whose schedule spans {} epochs, but the final training has {}", donor,
                        wanted.donor.horizon, wanted.epochs),
            fmt::format("--epochs {}", wanted.donor.horizon)};
  if (const char* key = spec::beginning_of(config))
    return {fmt::format("{}, which began with the weights of '{}', and the final training does not", donor, key),
            "policy: best begins with its weights"};
  const std::string section = spec::changed_section(config, wanted.trial);
  if (section.empty()) return {};
  return {fmt::format("{}, whose '{}' differs from the final training's", donor, section), "set nothing there"};
}

std::int64_t integer(storage::Statement&& row) { return row.step() && !row.is_null(0) ? row.integer(0) : -1; }

bool is_completed(storage::Database& study, std::int64_t trial) {
  auto row = study.prepare("SELECT count(*) FROM v_trials WHERE trial = ?1 AND state = 'completed'");
  row.bind(trial);
  return integer(std::move(row)) == 1;
}

/// Epoch after which the donor's training ended.
std::int64_t last_epoch(storage::Database& study, const warmstart::Donor& donor) {
  auto row = study.prepare(
      "SELECT max(step) FROM v_artifacts WHERE trial = ?1 AND replicate = 0 AND fold = ?2 AND role = 'last'");
  row.bind(donor.trial, std::int64_t(donor.fold));
  return integer(std::move(row));
}

}  // namespace

bool has_run_out(const std::filesystem::path& store, const warmstart::Donor& donor) {
  const auto has = [&](const warmstart::Donor& fold) { return has_run_out(store, fold); };
  if (!donor.folds.empty()) return std::any_of(donor.folds.begin(), donor.folds.end(), has);
  const Json config = config_of(store, donor), stop = config.value("stop", Json());
  if (!stop.is_object() || !stop.value("patience", Json()).is_number()) return false;
  if (donor.epoch >= config.at("epochs").get<std::int64_t>()) return false;
  const auto study = storage::open_for_reading(storage::study_file(store, donor.study, ".db"));
  return is_completed(*study, donor.trial) && last_epoch(*study, donor) == donor.epoch;
}

void require_resumable(const std::filesystem::path& store, const Resumption& wanted) {
  const Reason reason = difference(wanted, config_of(store, wanted.donor));
  if (!reason.why.empty() && wanted.takes_all) {
    const auto misfit = spec::misfit_of_schedule(wanted.trial, "remaining", false);
    if (misfit) refuse(reason.why + "; " + misfit->fault, reason.help);
    return;
  }
  if (!reason.why.empty()) refuse(reason.why, reason.help + ", or allow_superset: true, which goes on all the same");
  if (has_run_out(store, wanted.donor))
    refuse(wanted.donor.describe() + ", which was ended by its own patience, so nothing of it remains",
           "policy: best begins with its weights");
}

}  // namespace dlrun::final
