# SPDX-License-Identifier: Apache-2.0
# dlrun::torch: libtorch as headers and two libraries, libtorch_cpu and libc10; libtorch_cuda is opened at run time
# only. Where it lies is known by third_party/install alone: a user's own that CMAKE_PREFIX_PATH names, else the cache.
# Include <torch/types.h>, <torch/autograd.h> or <torch/nn/functional.h> (6 s a file), not <torch/torch.h> (17 s).
if(NOT DLRUN_TORCH_ROOT)
  set(paths ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
  string(REPLACE ";" ":" paths "${paths}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env "CMAKE_PREFIX_PATH=${paths}"
                          ${CMAKE_SOURCE_DIR}/third_party/install --print-torch
                  OUTPUT_VARIABLE DLRUN_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT EXISTS "${DLRUN_TORCH_ROOT}/lib/libtorch_cpu.so" OR NOT EXISTS "${DLRUN_TORCH_ROOT}/include/torch")
  message(FATAL_ERROR "libtorch not found: run third_party/install, or name your own with -DCMAKE_PREFIX_PATH=DIR")
endif()
set(torch_version unknown)
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS ${DLRUN_TORCH_ROOT}/include/${header})
    file(STRINGS ${DLRUN_TORCH_ROOT}/include/${header} lines REGEX "TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
    string(REGEX REPLACE "[^0-9;]" "" torch_version "${lines}")
    string(REPLACE ";" "." torch_version "${torch_version}")
    break()
  endif()
endforeach()
message(STATUS "libtorch ${torch_version}: ${DLRUN_TORCH_ROOT}")
file(READ ${CMAKE_SOURCE_DIR}/third_party/versions.json pins)
string(JSON torch_pinned GET "${pins}" torch)
if(NOT torch_version STREQUAL torch_pinned)
  message(WARNING "dlrun is tested with libtorch ${torch_pinned}, this is ${torch_version}")
endif()

# The wheel brings its own fmt headers, which need another libfmt than ours: ours come first.
get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${fmt_include}/fmt ${CMAKE_BINARY_DIR}/include/fmt SYMBOLIC)

add_library(dlrun_torch INTERFACE)
add_library(dlrun::torch ALIAS dlrun_torch)
target_include_directories(dlrun_torch SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include ${DLRUN_TORCH_ROOT}/include
                           ${DLRUN_TORCH_ROOT}/include/torch/csrc/api/include)
target_link_libraries(dlrun_torch INTERFACE ${DLRUN_TORCH_ROOT}/lib/libtorch_cpu.so ${DLRUN_TORCH_ROOT}/lib/libc10.so)

# Programs of the build folder find this libtorch here (lib/libtorch); installed ones look elsewhere and have no path to it.
file(CREATE_LINK ${DLRUN_TORCH_ROOT} ${CMAKE_BINARY_DIR}/torch SYMBOLIC)
