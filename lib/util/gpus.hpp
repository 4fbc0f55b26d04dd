// SPDX-License-Identifier: Apache-2.0
// GPUs of this machine.
#pragma once
#include <string>
#include <vector>

namespace dlrun {

/// GPUs that a process started now may use, by the names that CUDA_VISIBLE_DEVICES takes: the entries of that variable
/// if it is set (none if it is empty or -1), else "0", "1", … for each card of NVIDIA's driver.
std::vector<std::string> visible_gpus();
/// @param variable  CUDA_VISIBLE_DEVICES, null if it is not set    @param cards  in this machine
std::vector<std::string> visible_gpus(const char* variable, int cards);

}  // namespace dlrun
