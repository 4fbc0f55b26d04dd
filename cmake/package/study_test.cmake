# SPDX-License-Identifier: Apache-2.0
# cmake -DDLRUN=program -DSTUDY=study.yaml -DWORK=folder -P study_test.cmake: runs the study with one worker and with
# four, and compares the logical exports, which have everything but times and places.
file(REMOVE_RECURSE ${WORK})
foreach(workers 1 4)
  execute_process(COMMAND ${DLRUN} tune ${STUDY} --quiet --workers ${workers} --store ${WORK}/store-${workers}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${DLRUN} export --logical --store ${WORK}/store-${workers} OUTPUT_FILE ${WORK}/export-${workers}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(SHA256 ${WORK}/export-1 one)
file(SHA256 ${WORK}/export-4 four)
if(NOT one STREQUAL four)
  message(FATAL_ERROR "one worker and four gave different results: compare ${WORK}/export-1 and export-4")
endif()
