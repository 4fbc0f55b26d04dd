// SPDX-License-Identifier: Apache-2.0
#include "train/torch_errors.hpp"

namespace dlrun::train {

std::string first_line(const c10::Error& fault) {
  const std::string text = fault.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

bool is_out_of_memory(const c10::Error& fault) {
  const std::string text = fault.what_without_backtrace();
  return dynamic_cast<const c10::OutOfMemoryError*>(&fault) != nullptr ||
         text.find("DefaultCPUAllocator") != std::string::npos || text.find("not enough memory") != std::string::npos;
}

}  // namespace dlrun::train
