# SPDX-License-Identifier: Apache-2.0
# Unity builds: the sources of a target are compiled many at a time, because their headers cost more than the sources.
# DLRUN_UNITY=OFF compiles each source alone, which is faster for people who edit one source again and again.
# DLRUN_ALONE names sources, below the checkout, that are compiled alone while others are united.
#
# dlrun_unite(TARGET [FIRST header]): when this folder is read to its end, the target's sources become unity sources.
# FIRST is included before them: libtorch's logging macros must be defined before Catch2's macros of the same names.
#
# - A unity source has at most about DLRUN_UNITY_KB of sources, so that several cores have work and 2 GB are enough.
# - Sources with compile options of their own share a unity source with those of the same options only.
# - CMake's own UNITY_BUILD writes absolute paths, and a compiler cache would not recognise them in another checkout.
# - A precompiled header for libtorch would win little: its narrow headers cost 39 of the 98 CPU seconds of the seven sources
#   that see it, and only two of these have the same options, as a precompiled header needs. Explicit instantiations of JSON
#   win nothing (CPU seconds without and with: 23.3 and 22.1 of spec, 21.1 and 22.2 of report, 9.8 and 9.6 of protocol).
# - Names in unnamed namespaces must be unique within a room; the compiler rejects most others.
option(DLRUN_UNITY "compile many sources at a time" ON)
set(DLRUN_UNITY_KB 150 CACHE STRING "size of the sources that are compiled at a time, in kilobytes")
set(DLRUN_ALONE "" CACHE STRING "sources compiled alone, below the checkout")

function(dlrun_unite target)
  cmake_parse_arguments(ARG "" "FIRST" "" ${ARGN})
  if(DLRUN_UNITY)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL dlrun_unite_now [[${target}]] [[${ARG_FIRST}]])")
  endif()
endfunction()

# The deferred half: by now the options of the sources are known.
function(dlrun_unite_now target first)
  get_target_property(sources ${target} SOURCES)
  set(result "")
  set(kinds "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" is_generated)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE place)
    get_property(definitions SOURCE ${source} PROPERTY COMPILE_DEFINITIONS)
    get_property(options SOURCE ${source} PROPERTY COMPILE_OPTIONS)
    if(is_generated OR definitions OR NOT source MATCHES "\\.cpp$" OR place IN_LIST DLRUN_ALONE)
      list(APPEND result ${source})
    else()
      string(MAKE_C_IDENTIFIER "with${options}" kind)
      list(APPEND kinds ${kind})
      list(APPEND sources_${kind} ${source})
      set(options_${kind} "${options}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES kinds)
  foreach(kind ${kinds})
    dlrun_unity_sources(made "${target}_${kind}" "${first}" ${sources_${kind}})
    set_source_files_properties(${made} PROPERTIES COMPILE_OPTIONS "${options_${kind}}")
    list(APPEND result ${made})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${result}")
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-iquote${CMAKE_SOURCE_DIR}>)
endfunction()

# out: paths of the unity sources written for the sources in ARGN, in their order and of about the same size.
function(dlrun_unity_sources out name first)
  set(total 0)
  foreach(source ${ARGN})
    file(SIZE ${source} size)
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR parts "${total} / (${DLRUN_UNITY_KB} * 1000) + 1")
  set(begun 0)
  foreach(source ${ARGN})
    math(EXPR part "${begun} * ${parts} / ${total}")
    file(SIZE ${source} size)
    math(EXPR begun "${begun} + ${size}")
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE place)
    string(APPEND text_${part} "#include \"${place}\"\n")
  endforeach()
  set(made "")
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    if(text_${part})
      set(file ${CMAKE_BINARY_DIR}/unity/${name}_${part}.cpp)
      dlrun_write_unity_source(${file} "${first}" "${text_${part}}")
      list(APPEND made ${file})
    endif()
  endforeach()
  set(${out} ${made} PARENT_SCOPE)
endfunction()

# Leaves a file of the same content untouched, so that nothing is compiled again without need.
function(dlrun_write_unity_source file first text)
  if(first)
    set(text "#include <${first}>\n${text}")
  endif()
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()
