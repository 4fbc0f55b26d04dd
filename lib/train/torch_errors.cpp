// SPDX-License-Identifier: Apache-2.0
#include "train/torch_errors.hpp"

namespace dlrun::train {

std::string first_line(const c10::Error& fault) {
  const std::string text = fault.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

/// Words of PyTorch's own allocators, then of those beside them: cuBLAS, cuDNN, the CUDA runtime.
bool is_out_of_memory(const c10::Error& fault) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&fault) != nullptr) return true;
  const std::string text = fault.what_without_backtrace();
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  return says("DefaultCPUAllocator") || says("not enough memory") || says("STATUS_ALLOC_FAILED") ||
         says("CUDA error: out of memory");
}

}  // namespace dlrun::train
