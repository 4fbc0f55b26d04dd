// SPDX-License-Identifier: Apache-2.0
#include "parallel/codecs/codecs.hpp"

#include "parallel/codecs/dgc.hpp"
#include "parallel/codecs/powersgd.hpp"
#include "parallel/packing.hpp"

namespace dlrun::parallel {

template <class Real>
void begin_codec(const Gang& gang, Members<Real>& members) {
  const Dgc* const dgc = std::get_if<Dgc>(&gang.codec);
  const PowerSgd* const thin = std::get_if<PowerSgd>(&gang.codec);
  for (Rank<Real>& rank : members.ranks) {
    if (dgc != nullptr || (thin != nullptr && thin->error_feedback)) rank.residual.assign(gang.size, 0);
    if (dgc != nullptr && dgc->momentum > 0) rank.velocity.assign(gang.size, 0);
    if (thin != nullptr && thin->warm_start) rank.basis = first_basis<Real>(gang, *thin);
  }
}

template <class Real>
void pack(const Gang& gang, Rank<Real>& rank, const Shard& shard, Message<Real>& message) {
  if (const Dgc* dgc = std::get_if<Dgc>(&gang.codec)) pack(*dgc, gang, rank, shard, message);
}

template <class Real>
void shorten(const Gang& gang, Message<Real>& message) {
  if (!std::holds_alternative<Bf16>(gang.codec)) return;
  round_to_bf16(message.numbers);
  message.packed = 0.5;
}

int copies_of(const Codec& codec) {
  if (const Dgc* dgc = std::get_if<Dgc>(&codec)) return dgc->momentum > 0 ? 2 : 1;
  const PowerSgd* const thin = std::get_if<PowerSgd>(&codec);
  return thin != nullptr && thin->error_feedback ? 1 : 0;
}

template void begin_codec(const Gang&, Members<float>&);
template void begin_codec(const Gang&, Members<double>&);
template void pack(const Gang&, Rank<float>&, const Shard&, Message<float>&);
template void pack(const Gang&, Rank<double>&, const Shard&, Message<double>&);
template void shorten(const Gang&, Message<float>&);
template void shorten(const Gang&, Message<double>&);

}  // namespace dlrun::parallel
