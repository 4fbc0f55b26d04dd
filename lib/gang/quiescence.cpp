// SPDX-License-Identifier: Apache-2.0
#include "gang/quiescence.hpp"

namespace dlrun::gang {

bool Quiescence::add(const Tally& tally) {
  now_.is_idle = now_.is_idle && tally.is_idle;
  now_.sent += tally.sent;
  now_.taken += tally.taken;
  if (++answers_ < asked_) return false;
  const bool is_still = now_.is_idle && now_.sent == now_.taken;
  const bool is_same = is_still && now_.sent == sent_before_;
  sent_before_ = is_still ? now_.sent : -1;
  return is_same;
}

}  // namespace dlrun::gang
