# SPDX-License-Identifier: Apache-2.0
# Warnings, ccache, a fast linker and the sanitizers: each used where it is there.
add_compile_options(-Wall -Wextra -Wno-missing-field-initializers)
# No contraction into fused multiply-adds: a number has the same bits on every instruction set.
add_compile_options(-ffp-contract=off)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g0")  # asserts stay on: driver state is checked in release too

# Paths below the checkout are hashed as relative ones, so that a second checkout is built from the first one's cache.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

find_program(MOLD mold)
find_program(LLD ld.lld)
if(CMAKE_CROSSCOMPILING)
  # GCC looks for its target's name before the linker's: the linker of its own is there.
elseif(MOLD)
  add_link_options(-fuse-ld=mold)
elseif(LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Most unit tests compile longer than they run: GCC's -O1 takes 70 % of -O2's time, clang's -O0 40 % of -O1's. Inline
# functions of a test's objects are also what the room itself calls, so tests that compute keep the room's level.
set(DLRUN_COMPUTING_UNIT_TESTS samplers model storage spec pruners)
set(DLRUN_UNIT_TEST_OPTIMIZATION -O1)

if(DLRUN_SANITIZE)
  set(DLRUN_UNIT_TEST_OPTIMIZATION -O0)
  # Unit tests that compute for long what others compute shortly, for the numbers; and those that take all descriptors,
  # of which the sanitizer needs some to look at an object's type.
  set(DLRUN_LEFT_OUT "~[numbers]~[descriptors]")
  # -O1: the tests run four times as fast as with -O0, and stacks stay readable.
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Rooms whose branches guide the fuzzers of tests/fuzz/targets. The others need no counters.
set(DLRUN_FUZZED_ROOMS util options recipe document model space trial ablation spec protocol tensors)
