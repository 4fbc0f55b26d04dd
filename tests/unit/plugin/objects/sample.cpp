// SPDX-License-Identifier: Apache-2.0
// A shared object with a note, right or wrong in one way: see CMakeLists.txt.
#include <dlrun/plugin/note.hpp>

#ifdef SAMPLE_INTERFACE
#undef DLRUN_PLUGIN_INTERFACE
#define DLRUN_PLUGIN_INTERFACE SAMPLE_INTERFACE
#endif
#ifdef SAMPLE_COMPILER
#undef DLRUN_PLUGIN_COMPILER
#define DLRUN_PLUGIN_COMPILER SAMPLE_COMPILER
#endif
#ifdef SAMPLE_ABI
#undef DLRUN_PLUGIN_ABI
#define DLRUN_PLUGIN_ABI SAMPLE_ABI
#endif
#ifdef SAMPLE_TORCH
#undef DLRUN_PLUGIN_TORCH
#define DLRUN_PLUGIN_TORCH SAMPLE_TORCH
#endif
#ifndef SAMPLE_KIND
#define SAMPLE_KIND "sampler"
#endif
#ifndef SAMPLE_MANIFEST
#define SAMPLE_MANIFEST                               \
  "{\"plugin\": \"sample\", \"kind\": \"" SAMPLE_KIND \
  "\", \"version\": \"1.2.0\", "                      \
  "\"about\": \"a sample\", \"keys\": []}"
#endif

#if defined(SAMPLE_HUGE)
__attribute__((used, aligned(4), section(".note.dlrun"))) static const dlrun::plugin::NoteBytes<(2 << 20)> huge = {
    sizeof "dlrun", 2 << 20, dlrun::plugin::kNoteType, "dlrun", {}};
#elif !defined(SAMPLE_NOTELESS)
DLRUN_PLUGIN_NOTE(SAMPLE_MANIFEST)
#endif

#ifdef SAMPLE_ACTS
#include <cstdio>
#include <cstdlib>

namespace {

/// Leaves a file behind as soon as the object is loaded.
struct Acts {
  Acts() {
    const char* trace = std::getenv("SAMPLE_TRACE");
    if (trace != nullptr) std::fclose(std::fopen(trace, "w"));
  }
} const acts;

}  // namespace
#endif
