# SPDX-License-Identifier: Apache-2.0
# libtorch, as headers and two libraries: libtorch_cpu and libc10 (libtorch_cuda is opened at run time only).
# Looked for in CMAKE_PREFIX_PATH (a user's own), then where third_party/install unpacked the wheel.
if(NOT DLRUN_TORCH_ROOT)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/third_party/install --print-torch
                  OUTPUT_VARIABLE DLRUN_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_path(TORCH_INCLUDE torch/csrc/api/include/torch/torch.h
          HINTS ${CMAKE_PREFIX_PATH} ${DLRUN_TORCH_ROOT} PATH_SUFFIXES include NO_CACHE)
find_library(TORCH_CPU_LIB torch_cpu HINTS ${CMAKE_PREFIX_PATH} ${DLRUN_TORCH_ROOT} PATH_SUFFIXES lib NO_CACHE)
find_library(C10_LIB c10 HINTS ${CMAKE_PREFIX_PATH} ${DLRUN_TORCH_ROOT} PATH_SUFFIXES lib NO_CACHE)
if(NOT TORCH_INCLUDE OR NOT TORCH_CPU_LIB OR NOT C10_LIB)
  message(FATAL_ERROR "libtorch not found: run third_party/install, or name yours with -DCMAKE_PREFIX_PATH=DIR")
endif()
get_filename_component(TORCH_LIB_DIR ${TORCH_CPU_LIB} DIRECTORY)
add_library(dlrun_torch INTERFACE)
add_library(dlrun::torch ALIAS dlrun_torch)
target_include_directories(dlrun_torch SYSTEM INTERFACE ${TORCH_INCLUDE} ${TORCH_INCLUDE}/torch/csrc/api/include)
target_link_libraries(dlrun_torch INTERFACE ${TORCH_CPU_LIB} ${C10_LIB})
target_link_options(dlrun_torch INTERFACE -Wl,-rpath,${TORCH_LIB_DIR})
