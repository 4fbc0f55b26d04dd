// SPDX-License-Identifier: Apache-2.0
#include "plugin/note.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <dlrun/plugin/note.hpp>
#include <memory>

#include "libtorch/requirement.hpp"
#include "util/descriptor.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::plugin {

namespace {

using File = std::unique_ptr<Elf, decltype(&::elf_end)>;

constexpr int kProcessor =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;
#endif

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, message, hint);
}

/// @throws Error(usage) unless it is a shared object of this processor
void check_object(Elf& file) {
  GElf_Ehdr head;
  if (::elf_kind(&file) != ELF_K_ELF || ::gelf_getehdr(&file, &head) == nullptr) refuse("it is no shared object");
  if (head.e_machine != kProcessor || ::gelf_getclass(&file) != ELFCLASS64)
    refuse("it is an object of another processor");
  if (head.e_type != ET_DYN) refuse("it is no shared object");
}

constexpr std::size_t kMostBytes = 1 << 20;  ///< largest section of notes that is read; a manifest has some hundred

/// The text of dlrun's note in a section; empty: none.
std::string text_in(Elf_Data& data) {
  GElf_Nhdr note;
  std::size_t name = 0, text = 0;
  for (std::size_t at = 0; (at = ::gelf_getnote(&data, at, &note, &name, &text)) > 0;) {
    const auto* bytes = static_cast<const char*>(data.d_buf);
    const std::string_view owner(bytes + name, note.n_namesz);
    if (owner == std::string_view("dlrun", 6) && note.n_type == kNoteType && note.n_descsz > 0)
      return {bytes + text, note.n_descsz - 1};
  }
  return {};
}

/// @throws Error(usage) where it has none
std::string text_of(Elf& file) {
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(&file, section)) != nullptr;) {
    GElf_Shdr head;
    if (::gelf_getshdr(section, &head) == nullptr || head.sh_type != SHT_NOTE) continue;
    if (head.sh_size > kMostBytes) refuse("its note is larger than 1 MiB");
    Elf_Data* data = ::elf_getdata(section, nullptr);
    std::string text = data == nullptr ? std::string() : text_in(*data);
    if (!text.empty()) return text;
  }
  refuse("it has no note of dlrun, so it is no plugin",
         "plugins are built by CMake's dlrun_plugin(): see docs/plugins.md");
}

/// A note of another interface has its number for sure, and nothing else.
Note note_of(const std::string& text) {
  try {
    const Json json = parse_json(text, "its note");
    const int interface = json.at("interface");
    if (interface != DLRUN_PLUGIN_INTERFACE) return {{.interface = interface}, json.value("manifest", Json())};
    return {{interface, json.at("compiler"), json.at("abi"), json.at("torch")}, json.at("manifest")};
  } catch (const Json::exception&) {
    refuse("its note is damaged");
  }
}

}  // namespace

Note read_note(const std::filesystem::path& file) {
  std::error_code none;
  if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    refuse("it is no shared object");  // opening a pipe would wait for ever
  const FileReader reader(file);
  ::elf_version(EV_CURRENT);
  const File elf(::elf_begin(reader.descriptor(), ELF_C_READ, nullptr), &::elf_end);
  if (elf == nullptr) refuse("it is no shared object");
  check_object(*elf);
  return note_of(text_of(*elf));
}

Build own_build() {
  return {DLRUN_PLUGIN_INTERFACE, DLRUN_PLUGIN_COMPILER, DLRUN_PLUGIN_ABI, libtorch::needed_version()};
}

std::string misfit(const Build& plugin, const Build& own) {
  if (plugin.interface != own.interface)
    return fmt::format("it has interface {}, this dlrun has interface {}", plugin.interface, own.interface);
  if (plugin.compiler != own.compiler)
    return fmt::format("it was compiled by {}, this dlrun by {}", plugin.compiler, own.compiler);
  if (plugin.abi != own.abi) return fmt::format("it has {}, this dlrun has {}", plugin.abi, own.abi);
  if (!plugin.torch.empty() && plugin.torch != own.torch)
    return fmt::format("it was compiled with libtorch {}, this dlrun with {}", plugin.torch, own.torch);
  return {};
}

}  // namespace dlrun::plugin
