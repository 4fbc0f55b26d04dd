// SPDX-License-Identifier: Apache-2.0
#include "plugin/note.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>

#include "sample.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace note_test {

using namespace dlrun;
using namespace plugin_test;
namespace fs = std::filesystem;

namespace {

/// Reason for which a file has no note; empty: it has one.
std::string fault_of(const fs::path& file) {
  try {
    plugin::read_note(file);
    return {};
  } catch (const Error& fault) {
    REQUIRE(fault.kind() == ErrorKind::usage);
    return fault.what();
  }
}

std::string fault_of_bytes(const std::string& bytes) {
  const support::TempFolder folder;
  put(folder / "x.so", bytes);
  return fault_of(folder / "x.so");
}

std::string printed_by(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) text += static_cast<char>(c);
  return text;
}

}  // namespace

TEST_CASE("a note is read from a file that this compiler made", "[plugin][note]") {
  const plugin::Note note = plugin::read_note(sample("fits"));
  CHECK(note.build.interface == plugin::own_build().interface);
  CHECK(note.build.compiler == plugin::own_build().compiler);
  CHECK(note.build.abi == plugin::own_build().abi);
  CHECK(note.build.torch.empty());
  CHECK(note.manifest.at("plugin") == "sample");
  CHECK(plugin::misfit(note.build, plugin::own_build()).empty());
}

TEST_CASE("readelf prints the note that dlrun reads", "[plugin][note]") {
  const std::string printed = printed_by("LC_ALL=C readelf --wide --notes " + sample("fits").string());
  CHECK_THAT(printed, Contains(".note.dlrun"));
#ifndef DLRUN_SANITIZED  // the sanitizer aligns the note by 32 bytes, which readelf refuses
  // readelf prints the bytes of a type that it does not know: 7b is '{', 22 is '"'.
  CHECK_THAT(printed, Contains("description data: 7b 22 69 6e 74 65 72 66 61 63 65 22"));
#endif
  const std::string text = printed_by("LC_ALL=C readelf --string-dump=.note.dlrun " + sample("fits").string());
  const plugin::Build own = plugin::own_build();
  CHECK_THAT(text, Contains("\"interface\": " + std::to_string(own.interface)));
  CHECK_THAT(text, Contains("\"compiler\": \"" + own.compiler + "\""));
  CHECK_THAT(text, Contains("\"abi\": \"" + own.abi + "\""));
}

TEST_CASE("a note of another build names both sides", "[plugin][note]") {
  plugin::Build own = plugin::own_build();
  own.interface = 1, own.compiler = "g++ 12", own.abi = "C++ ABI 1017, strings 1", own.torch = "2.11.0";
  plugin::Build other = own;
  SECTION("interface") {
    other.interface = 2;
    CHECK(plugin::misfit(other, own) == "it has interface 2, this dlrun has interface 1");
  }
  SECTION("compiler") {
    other.compiler = "clang 14";
    CHECK(plugin::misfit(other, own) == "it was compiled by clang 14, this dlrun by g++ 12");
  }
  SECTION("ABI") {
    other.abi = "C++ ABI 1016, strings 1";
    CHECK(plugin::misfit(other, own) == "it has C++ ABI 1016, strings 1, this dlrun has C++ ABI 1017, strings 1");
  }
  SECTION("libtorch") {
    other.torch = "2.10.0";
    CHECK(plugin::misfit(other, own) == "it was compiled with libtorch 2.10.0, this dlrun with 2.11.0");
  }
  SECTION("no libtorch fits any") {
    other.torch.clear();
    CHECK(plugin::misfit(other, own).empty());
  }
}

TEST_CASE("the notes of real objects of other builds differ from this one", "[plugin][note]") {
  const auto misfit = [](const char* name) {
    return plugin::misfit(plugin::read_note(sample(name)).build, plugin::own_build());
  };
  CHECK_THAT(misfit("interface"), Contains("it has interface 99, this dlrun has interface "));
  CHECK_THAT(misfit("compiler"), Contains("it was compiled by g++ 99, this dlrun by "));
  CHECK_THAT(misfit("abi"), Contains("it has C++ ABI 9, strings 0, this dlrun has C++ ABI "));
  CHECK_THAT(misfit("torch"), Contains("it was compiled with libtorch 1.0.0, this dlrun with "));
}

TEST_CASE("a file that is no plugin is refused with the reason", "[plugin][note]") {
  CHECK_THAT(fault_of(sample("noteless")), Contains("has no note of dlrun"));
  CHECK_THAT(fault_of(sample("damaged")), Contains("its note is no valid JSON"));
  CHECK(fault_of(sample("huge")) == "its note is larger than 1 MiB");
  CHECK_THAT(fault_of("/nowhere/x.so"), Contains("cannot read '/nowhere/x.so': No such file"));
  CHECK(fault_of_bytes("") == "it is no shared object");
  CHECK(fault_of_bytes("#!/bin/sh\n") == "it is no shared object");
  CHECK(fault_of("/proc/self/exe").find("note of dlrun") != std::string::npos);
}

TEST_CASE("an object of another processor is known by its head", "[plugin][note]") {
  const std::string bytes = bytes_of("fits");
  Elf64_Ehdr head = head_of(bytes);
  SECTION("processor") {
    head.e_machine = EM_RISCV;
    CHECK(fault_of_bytes(with_head(bytes, head)) == "it is an object of another processor");
  }
  SECTION("width") {
    head.e_ident[EI_CLASS] = ELFCLASS32;
    CHECK_THAT(fault_of_bytes(with_head(bytes, head)),
               Contains("it is an object of another processor") || Contains("it is no shared object"));
  }
  SECTION("a relocatable object") {
    head.e_type = ET_REL;
    CHECK(fault_of_bytes(with_head(bytes, head)) == "it is no shared object");
  }
}

TEST_CASE("a pipe is not waited for", "[plugin][note]") {
  const support::TempFolder folder;
  REQUIRE(::mkfifo((folder / "x.so").c_str(), 0600) == 0);
  CHECK(fault_of(folder / "x.so") == "it is no shared object");
  fs::create_directory(folder / "y.so");
  CHECK(fault_of(folder / "y.so") == "it is no shared object");
}

TEST_CASE("an object that is cut anywhere is refused", "[plugin][note]") {
  const std::string bytes = bytes_of("fits");
  for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 60) {
    INFO(length);
    CHECK_FALSE(fault_of_bytes(bytes.substr(0, length)).empty());
  }
}

TEST_CASE("any damaged byte of a note gives a note or a reason", "[plugin][note]") {
  const std::string bytes = bytes_of("fits");
  const std::size_t text = bytes.find("{\"interface\"");
  REQUIRE(text != std::string::npos);
  for (std::size_t at = text - 20; at < text + 40; ++at) {
    for (const char value : {'\0', '\xff', '{', '9'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      CHECK_NOTHROW(fault_of_bytes(damaged));
    }
  }
}

}  // namespace note_test
