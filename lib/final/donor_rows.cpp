// SPDX-License-Identifier: Apache-2.0
#include "final/donor_rows.hpp"

#include "report/trial_reader.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"

namespace dlrun::final {

void require_unseen_rows(const std::filesystem::path& store, const std::vector<warmstart::Donor>& donors,
                         const warmstart::Division& now) {
  for (const warmstart::Donor& donor : donors) {
    const Json config = report::TrialReader(store, {donor.study, donor.trial}).config();
    const std::string place = warmstart::leak({config, seed_of(store, donor.study)}, now);
    if (place.empty()) continue;
    throw Error(ErrorKind::usage, warmstart::leak_text(donor.describe(), place), warmstart::kLeakHelp);
  }
}

std::uint64_t seed_of(const std::filesystem::path& store, const std::string& study) {
  return storage::Store::find(store, study).value().spec.value("seed", std::uint64_t(0));
}

}  // namespace dlrun::final
