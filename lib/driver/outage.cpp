// SPDX-License-Identifier: Apache-2.0
#include "driver/outage.hpp"

#include <algorithm>

namespace dlrun::driver {

bool Outage::is_general(const std::vector<trial::PieceKey>& running) const {
  const bool is_tried =
      std::any_of(losses_.begin(), losses_.end(), [](const auto& loss) { return loss.second >= kTries; });
  return is_tried && std::all_of(running.begin(), running.end(),
                                 [this](const trial::PieceKey& piece) { return losses_.contains(piece); });
}

}  // namespace dlrun::driver
