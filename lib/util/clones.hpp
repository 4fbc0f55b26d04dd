// SPDX-License-Identifier: Apache-2.0
// DLRUN_CLONES: compiles a function for several instruction sets of x86-64; the processor's own is chosen when the
// library is loaded. All give the same bits, because no operation is contracted or reordered. Nothing on other
// processors.
#pragma once

#ifdef __x86_64__
#define DLRUN_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define DLRUN_CLONES_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define DLRUN_CLONES
#define DLRUN_CLONES_AVX2
#endif
