// SPDX-License-Identifier: Apache-2.0
// One loop, compiled for several instruction sets; the processor's own is chosen when the library is loaded. All give
// the same bits, for nothing is contracted or reordered.
#pragma once

#define DLRUN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
