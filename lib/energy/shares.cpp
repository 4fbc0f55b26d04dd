// SPDX-License-Identifier: Apache-2.0
#include "energy/shares.hpp"

namespace dlrun::energy {

void Shares::use(std::int64_t holder, double seconds) {
  accounts_[holder].seconds += seconds;
  seconds_ += seconds;
}

void Shares::settle(std::optional<double> joules) {
  for (auto& [holder, account] : accounts_) {
    if (account.seconds <= 0) continue;
    account.is_known = account.is_known && joules;
    account.joules += joules.value_or(0) * account.seconds / seconds_;
    account.seconds = 0;
  }
  seconds_ = 0;
}

std::optional<Shares::Part> Shares::close_account(std::int64_t holder) {
  const auto found = accounts_.find(holder);
  if (found == accounts_.end()) return std::nullopt;
  const Account account = found->second;
  accounts_.erase(found);
  // Whoever ran took something: a counter that saw nothing of it was too coarse.
  return Part{account.is_known && account.joules > 0 ? std::optional(account.joules) : std::nullopt};
}

}  // namespace dlrun::energy
