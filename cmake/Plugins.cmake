# SPDX-License-Identifier: Apache-2.0
# The headers that plugins are compiled with (include/dlrun/plugin), which this dlrun shares with them.
add_library(dlrun_plugin_headers INTERFACE)
target_include_directories(dlrun_plugin_headers INTERFACE ${CMAKE_SOURCE_DIR}/include)
