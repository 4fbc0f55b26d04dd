// SPDX-License-Identifier: Apache-2.0
// The files of checkpoints.
#pragma once
#include "tensors/safetensors.hpp"

namespace dlrun::train {

using tensors::SafeTensors;
using tensors::TensorView;
using tensors::write_safetensors;

}  // namespace dlrun::train
