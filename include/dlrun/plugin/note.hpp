// SPDX-License-Identifier: Apache-2.0
// The ELF note by which dlrun knows a plugin before any of its code runs. `dlrun plugins note plugin.yaml` writes the
// source that uses this; CMake's dlrun_plugin() compiles it into the shared object.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

/// Version of the headers in dlrun/plugin. Raised by every change after which older objects no longer fit.
#define DLRUN_PLUGIN_INTERFACE 1

#define DLRUN_PLUGIN_TEXT_OF(value) #value
#define DLRUN_PLUGIN_TEXT(value) DLRUN_PLUGIN_TEXT_OF(value)

#if defined(__clang__)
#define DLRUN_PLUGIN_COMPILER "clang " DLRUN_PLUGIN_TEXT(__clang_major__)
#else
#define DLRUN_PLUGIN_COMPILER "g++ " DLRUN_PLUGIN_TEXT(__GNUC__)
#endif

/// Other things that both sides must have in common: the number of C++'s ABI, and the layout of std::string.
#define DLRUN_PLUGIN_ABI \
  "C++ ABI " DLRUN_PLUGIN_TEXT(__GXX_ABI_VERSION) ", strings " DLRUN_PLUGIN_TEXT(_GLIBCXX_USE_CXX11_ABI)

/// The version of libtorch that the object was compiled with; empty where it uses none.
#ifdef DLRUN_PLUGIN_WITH_TORCH
#include <torch/headeronly/version.h>
#define DLRUN_PLUGIN_TORCH               \
  DLRUN_PLUGIN_TEXT(TORCH_VERSION_MAJOR) \
  "." DLRUN_PLUGIN_TEXT(TORCH_VERSION_MINOR) "." DLRUN_PLUGIN_TEXT(TORCH_VERSION_PATCH)
#else
#define DLRUN_PLUGIN_TORCH ""
#endif

namespace dlrun::plugin {

inline constexpr std::uint32_t kNoteType = 1;

/// A note as the ELF format has it: sizes, type, the owner's name, a text.
template <std::size_t kSize>
struct NoteBytes {
  std::uint32_t name_size, text_size, type;
  char name[8];
  char text[kSize];
};

}  // namespace dlrun::plugin

#define DLRUN_PLUGIN_NOTE_TEXT(manifest)                                                                  \
  "{\"interface\": " DLRUN_PLUGIN_TEXT(DLRUN_PLUGIN_INTERFACE) ", \"compiler\": \"" DLRUN_PLUGIN_COMPILER \
                                                               "\", \"abi\": \"" DLRUN_PLUGIN_ABI         \
                                                               "\", \"torch\": \"" DLRUN_PLUGIN_TORCH     \
                                                               "\", \"manifest\": " manifest "}"

/// Puts the note into the object. `manifest` is JSON as a literal.
#define DLRUN_PLUGIN_NOTE(manifest)                                                                            \
  __attribute__((                                                                                              \
      used, aligned(4),                                                                                        \
      section(".note.dlrun"))) static const dlrun::plugin::NoteBytes<sizeof(DLRUN_PLUGIN_NOTE_TEXT(manifest))> \
      dlrun_plugin_note = {sizeof "dlrun", sizeof(DLRUN_PLUGIN_NOTE_TEXT(manifest)), dlrun::plugin::kNoteType, \
                           "dlrun", DLRUN_PLUGIN_NOTE_TEXT(manifest)};
