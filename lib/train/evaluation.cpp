// SPDX-License-Identifier: Apache-2.0
#include "train/evaluation.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

namespace dlrun::train {

void Evaluation::add_part(SplitSums& sums, const data::Examples& part) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  heads_.measure(network_.evaluate(part), part, sums, nullptr);
}

std::vector<SplitSums> Evaluation::each_of(const SplitSums& fresh, const data::Examples& part) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  return heads_.measure_each(network_.evaluate(part), part, fresh);
}

}  // namespace dlrun::train
