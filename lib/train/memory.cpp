// SPDX-License-Identifier: Apache-2.0
#include "train/memory.hpp"

#include <malloc.h>

namespace dlrun::train {

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
}

}  // namespace dlrun::train
