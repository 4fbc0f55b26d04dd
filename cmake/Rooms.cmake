# SPDX-License-Identifier: Apache-2.0
# dlrun_room(NAME [LINKS room...] [LIBS target...] [PRIVATE_LIBS target...]): the folder we stand in becomes the
# static library dlrun_NAME. Sources are every *.cpp below it. A file of the room may include only rooms in LINKS
# (tests/walls compares), transitively what those link to is not granted.
# dlrun_test(ROOM [LINKS room...] [LIBS ...] [TORCH]): tests/unit/ROOM/*_test.cpp become one Catch2 program unit_ROOM.
function(dlrun_room name)
  cmake_parse_arguments(ARG "" "" "LINKS;LIBS;PRIVATE_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)  # headers only, so far
    add_library(dlrun_${name} INTERFACE)
    target_link_libraries(dlrun_${name} INTERFACE ${ARG_LIBS})
    return()
  endif()
  add_library(dlrun_${name} STATIC ${sources})
  add_library(dlrun::${name} ALIAS dlrun_${name})
  target_include_directories(dlrun_${name} PUBLIC ${CMAKE_SOURCE_DIR}/lib)
  foreach(link ${ARG_LINKS})
    target_link_libraries(dlrun_${name} PUBLIC dlrun_${link})
  endforeach()
  target_link_libraries(dlrun_${name} PUBLIC ${ARG_LIBS} PRIVATE ${ARG_PRIVATE_LIBS})
  dlrun_unite(dlrun_${name})
endfunction()

function(dlrun_test room)
  cmake_parse_arguments(ARG "" "" "LINKS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  add_executable(unit_${room} ${sources})
  target_link_libraries(unit_${room} PRIVATE dlrun_${room} dlrun_test_support ${ARG_LIBS})
  foreach(link ${ARG_LINKS})
    target_link_libraries(unit_${room} PRIVATE dlrun_${link})
  endforeach()
  if(dlrun::torch IN_LIST ARG_LIBS)
    dlrun_unite(unit_${room} FIRST ATen/ATen.h)
  else()
    dlrun_unite(unit_${room})
  endif()
  add_test(NAME unit_${room} COMMAND unit_${room})
  set_tests_properties(unit_${room} PROPERTIES LABELS unit TIMEOUT 900)
endfunction()
