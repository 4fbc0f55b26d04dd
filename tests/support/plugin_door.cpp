// SPDX-License-Identifier: Apache-2.0
// A plugin whose objects a test program makes: copies of this shared object, each with a manifest of its own in its
// note, are found and opened as plugins are, and hand every call to `dlrun_door`.
#include <dlrun/plugin/note.hpp>

#define SPACES_64 "                                                                "
#define SPACES_512 SPACES_64 SPACES_64 SPACES_64 SPACES_64 SPACES_64 SPACES_64 SPACES_64 SPACES_64
#define SPACES_4096 SPACES_512 SPACES_512 SPACES_512 SPACES_512 SPACES_512 SPACES_512 SPACES_512 SPACES_512
#define EXPORTED __attribute__((visibility("default")))

// plugin_copies.hpp writes over the braces and spaces.
DLRUN_PLUGIN_NOTE("{}" SPACES_4096 SPACES_4096)

extern "C" {

EXPORTED void* (*dlrun_door)(const void* facts) = nullptr;

EXPORTED void* dlrun_plugin_layer(const void* facts) { return dlrun_door(facts); }
EXPORTED void* dlrun_plugin_loss(const void* options) { return dlrun_door(options); }
EXPORTED void* dlrun_plugin_optimizer(const void* options) { return dlrun_door(options); }
EXPORTED void* dlrun_plugin_metric() { return dlrun_door(nullptr); }

}  // extern "C"
