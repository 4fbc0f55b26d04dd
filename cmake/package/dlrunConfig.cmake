# SPDX-License-Identifier: Apache-2.0
# find_package(dlrun) for people who build plugins. `dlrun plugins cmake` prints the folder of this file, for -Ddlrun_DIR:
# lib/cmake/dlrun of an installation, or cmake/package of a checkout, where DLRUN_PROGRAM names the dlrun of the build.
#
# dlrun_plugin(NAME source...): the shared object NAME.so, in the build's folder `plugins`, out of these sources and of
# plugin.yaml beside the CMakeLists.txt, which must have the same name. It is compiled with libtorch if its kind is one of
# layer, loss, optimizer, metric.
# dlrun_plugin_tests(NAME study.yaml): tests for ctest. The study has the same results with one worker and with four, and
# the plugin keeps the contract of its kind.
foreach(candidate ${CMAKE_CURRENT_LIST_DIR}/../../../include ${CMAKE_CURRENT_LIST_DIR}/../../include)
  if(EXISTS ${candidate}/dlrun/plugin/note.hpp)
    get_filename_component(DLRUN_INCLUDE ${candidate} ABSOLUTE)
    break()
  endif()
endforeach()
find_program(DLRUN_PROGRAM dlrun HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
if(NOT DLRUN_INCLUDE OR NOT DLRUN_PROGRAM)
  set(dlrun_FOUND FALSE)
  set(dlrun_NOT_FOUND_MESSAGE "the headers or the program of dlrun are missing; -DDLRUN_PROGRAM=… names the program")
  return()
endif()
if(TARGET dlrun_plugin_headers)  # found before, by another plugin of the same build
  return()
endif()

set(DLRUN_PACKAGE ${CMAKE_CURRENT_LIST_DIR})
add_library(dlrun_plugin_headers INTERFACE)
target_include_directories(dlrun_plugin_headers INTERFACE ${DLRUN_INCLUDE})
target_compile_features(dlrun_plugin_headers INTERFACE cxx_std_20)

# The libtorch that dlrun takes.
function(dlrun_find_torch)
  if(TARGET dlrun_plugin_torch)
    return()
  endif()
  execute_process(COMMAND ${DLRUN_PROGRAM} plugins torch OUTPUT_VARIABLE torch OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  add_library(dlrun_plugin_torch INTERFACE)
  target_include_directories(dlrun_plugin_torch SYSTEM INTERFACE ${torch}/include ${torch}/include/torch/csrc/api/include)
  target_link_libraries(dlrun_plugin_torch INTERFACE ${torch}/lib/libtorch_cpu.so ${torch}/lib/libc10.so)
  # Tensor arithmetic is the same on any processor only without fused operations that the source does not have.
  target_compile_options(dlrun_plugin_torch INTERFACE -ffp-contract=off)
endfunction()

# The manifest's name is the one in studies; the target's is that of the file and of the tests.
function(dlrun_require_name name manifest)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  file(STRINGS ${manifest} line REGEX "^[\"']?plugin[\"']? *:")
  if(line MATCHES "^[\"']?plugin[\"']? *: *[\"']?([A-Za-z0-9_]+)" AND NOT CMAKE_MATCH_1 STREQUAL name)
    message(FATAL_ERROR "dlrun_plugin(${name}): '${manifest}' names the plugin '${CMAKE_MATCH_1}'; "
                        "write dlrun_plugin(${CMAKE_MATCH_1} …), or plugin: ${name} into plugin.yaml")
  endif()
endfunction()

function(dlrun_plugin name)
  set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/plugin.yaml)
  dlrun_require_name(${name} ${manifest})
  set(note ${CMAKE_CURRENT_BINARY_DIR}/${name}_note.cpp)
  add_custom_command(OUTPUT ${note} COMMAND ${DLRUN_PROGRAM} plugins note ${manifest} -o ${note}
                     DEPENDS ${manifest} ${DLRUN_PROGRAM} VERBATIM)
  add_library(${name} MODULE ${ARGN} ${note})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  target_link_libraries(${name} PRIVATE dlrun_plugin_headers)
  file(STRINGS ${manifest} kind REGEX "^kind:")
  if(kind MATCHES "^kind: *[\"']?(layer|loss|optimizer|metric)")
    dlrun_find_torch()
    target_link_libraries(${name} PRIVATE dlrun_plugin_torch)
  endif()
  # An object that this dlrun would refuse, of another compiler say, ends the build and not the first study.
  if(NOT DLRUN_PLUGIN_UNCHECKED)
    add_custom_command(TARGET ${name} POST_BUILD COMMAND ${DLRUN_PROGRAM} plugins check $<TARGET_FILE:${name}> --quiet VERBATIM)
  endif()
endfunction()

function(dlrun_plugin_tests name study)
  set(where "DLRUN_PLUGINS=${CMAKE_BINARY_DIR}/plugins")
  add_test(NAME ${name}_study COMMAND ${CMAKE_COMMAND} -DDLRUN=${DLRUN_PROGRAM} -DSTUDY=${CMAKE_CURRENT_SOURCE_DIR}/${study}
                                      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/${name}_study -P ${DLRUN_PACKAGE}/study_test.cmake)
  set_tests_properties(${name}_study PROPERTIES ENVIRONMENT "${where}")
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/plugin.yaml kind REGEX "^kind:")
  set(with_data "")
  if(kind MATCHES "^kind: *[\"']?data")
    set(with_data --study ${CMAKE_CURRENT_SOURCE_DIR}/${study})
  endif()
  add_test(NAME ${name}_contract COMMAND ${DLRUN_PROGRAM} plugins test ${name} ${with_data})
  set_tests_properties(${name}_contract PROPERTIES ENVIRONMENT "${where}")
endfunction()
