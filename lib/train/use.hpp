// SPDX-License-Identifier: Apache-2.0
// A checkpoint put to use: measured on examples, or asked what it foretells of them.
#pragma once
#include "trial/use.hpp"

namespace dlrun::train {

/// Takes the checkpoint `order.resume`, which must be of this trial on this data (its fingerprint), and measures or
/// foretells. Examples are taken as a training measures its splits, so that a split gives the bits it gave there.
/// @param file  takes the predictions; not called where metrics are wanted
/// @throws Error(store) for a checkpoint that is missing, damaged or of another trial; Error(usage), DataError.
trial::Use use_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order, const trial::UseOptions& options,
                     const trial::PredictionFile& file);

}  // namespace dlrun::train
