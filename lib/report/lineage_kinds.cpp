// SPDX-License-Identifier: Apache-2.0
#include "report/lineage_kinds.hpp"

#include <algorithm>
#include <map>

namespace dlrun::report {

KindWords words_of(const std::string& kind) {
  static const std::map<std::string, KindWords> kWords{
      {"continued_from", {"went on from", "went on as"}},
      {"resumed_from", {"resumed", "was resumed by"}},
      {"copied_from", {"ran beside", "was run again beside it as"}},
      {"retried_after", {"tried again after", "was tried again as"}},
      {"inherited_from", {"began with the weights of", "gave its weights to"}},
      {"shared_from", {"shares its first epochs with", "shared its first epochs with"}},
      {"cited_from", {"cites the result of", "is cited by"}},
      {"ablated_from", {"was ablated from", "was ablated as"}},
      {"started_from", {"started from the weights of", "started"}},
      {"averaged_from", {"averages the weights of", "is averaged into"}},
      {"initialised_from", {"was initialised with the weights of", "initialised"}},
      {"learned_from", {"learned from the trials of", "taught"}},
  };
  const auto found = kWords.find(kind);
  if (found != kWords.end()) return found->second;
  std::string plain = kind;
  std::replace(plain.begin(), plain.end(), '_', ' ');
  return {plain, plain + ", the other way:"};
}

}  // namespace dlrun::report
