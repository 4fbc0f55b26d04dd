# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --prefix DIR`: a tree that works wherever it is moved to, because no file names another by an
# absolute path. Programs find each other, the trainer and configs from their own place (/proc/self/exe).
#
#   bin/dlrun, dlrun-worker, dlrun-guest   lib/dlrun/libdlrun_trainer.so      share/dlrun/configs, study.schema.json, plotly
#                                     lib/dlrun/libdlrun_lines.so    lib/dlrun/python/dlrun
#   include/dlrun/plugin              lib/cmake/dlrun                    share/dlrun/templates
#   share/man/man1                    completions of bash, zsh, fish     share/doc/dlrun
find_package(Python3 REQUIRED COMPONENTS Interpreter)
install(TARGETS dlrun dlrun-worker dlrun-guest RUNTIME DESTINATION bin)
install(TARGETS dlrun_lines LIBRARY DESTINATION lib/dlrun)
if(TARGET dlrun_trainer)
  install(TARGETS dlrun_trainer LIBRARY DESTINATION lib/dlrun)
endif()
install(DIRECTORY python/dlrun DESTINATION lib/dlrun/python PATTERN __pycache__ EXCLUDE)
install(DIRECTORY configs DESTINATION share/dlrun)
install(DIRECTORY include/dlrun DESTINATION include)  # plugins are compiled with these
install(DIRECTORY cmake/package/ DESTINATION lib/cmake/dlrun)
install(DIRECTORY templates DESTINATION share/dlrun)  # dlrun plugins new
install(PROGRAMS third_party/install DESTINATION share/dlrun/third_party)  # dlrun doctor --install-torch
install(FILES third_party/versions.json DESTINATION share/dlrun/third_party)
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/third_party/install --print-plotly
                OUTPUT_VARIABLE plotly OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(plotly)  # the plots of pages; without it they are static pictures
  file(GLOB plotly_licence ${plotly}/plotly-*.dist-info/licenses/LICENSE*)
  install(FILES ${plotly}/plotly/package_data/plotly.min.js ${plotly_licence} DESTINATION share/dlrun/plotly)
endif()
install(FILES LICENSE CHANGELOG.md README.md DESTINATION share/doc/dlrun)
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/packaging/texts.py $<TARGET_FILE:dlrun>
  \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX} COMMAND_ERROR_IS_FATAL ANY)")
