// SPDX-License-Identifier: Apache-2.0
#include "plugin/found.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "plugin/note.hpp"
#include "sample.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/sha256.hpp"

namespace found_test {

using namespace dlrun;
using namespace plugin_test;
namespace fs = std::filesystem;

namespace {

/// Sets an environment variable until the end of a block.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, was_set_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { was_set_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool was_set_ = false;
};

}  // namespace

TEST_CASE("a plugin is found by its note, with its hash", "[plugin][found]") {
  const auto all = plugin::look_into({sample("fits")});
  REQUIRE(all.size() == 1);
  CHECK(all[0].fits());
  CHECK(all[0].manifest->name == "sample");
  CHECK(all[0].manifest->kind == plugin::Kind::sampler);
  CHECK(all[0].manifest->version == "1.2.0");
  CHECK(plugin::hash_of(all[0]) == Sha256::hex_of(bytes_of("fits")));
}

TEST_CASE("looking for plugins runs none of their code", "[plugin][found]") {
  const support::TempFolder folder;
  const Variable trace("SAMPLE_TRACE", (folder / "trace").string());
  const auto all = plugin::look_into({sample("acts")});
  REQUIRE(all.size() == 1);
  CHECK(all[0].fits());
  plugin::hash_of(all[0]);
  CHECK_FALSE(fs::exists(folder / "trace"));
  void* handle = ::dlopen(sample("acts").c_str(), RTLD_NOW);  // the sample does act when it is loaded
  REQUIRE(handle != nullptr);
  CHECK(fs::exists(folder / "trace"));
  ::dlclose(handle);
}

TEST_CASE("an object that does not fit keeps its name and has a problem", "[plugin][found]") {
  for (const char* name : {"compiler", "abi", "torch", "interface"}) {
    INFO(name);
    const auto all = plugin::look_into({sample(name)});
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all[0].fits());
    CHECK_FALSE(all[0].hint.empty());
    REQUIRE(all[0].manifest);
    CHECK(all[0].manifest->name == "sample");
  }
}

TEST_CASE("a manifest in a note that is wrong is a problem", "[plugin][found]") {
  CHECK(plugin::look_into({sample("unknown")})[0].problem == "'oracle' is no kind of plugin");
  CHECK(plugin::look_into({sample("empty")})[0].problem == "its manifest is damaged");
}

TEST_CASE("folders are looked into in order, and the first of a name has it", "[plugin][found]") {
  const support::TempFolder folder;
  for (const char* name : {"a", "b"}) {
    fs::create_directory(folder / name);
    put(folder / name / "it.so", bytes_of("fits"));
  }
  put(folder / "b" / "notes.txt", "no plugin, and not looked at");
  const auto all = plugin::look_into({folder / "b", folder / "a"});
  REQUIRE(all.size() == 2);
  CHECK(all[0].fits());
  CHECK(all[0].file == folder / "b" / "it.so");
  CHECK(all[1].problem == "the name 'sample' is taken by '" + (folder / "b" / "it.so").string() + "'");
  const auto turned = plugin::look_into({folder / "a", folder / "b"});
  CHECK(turned[0].file == folder / "a" / "it.so");
}

TEST_CASE("one that does not fit takes no name", "[plugin][found]") {
  const auto all = plugin::look_into({sample("abi"), sample("fits")});
  REQUIRE(all.size() == 2);
  CHECK(all[1].fits());
}

TEST_CASE("the same file by two names is listed once", "[plugin][found]") {
  const support::TempFolder folder;
  fs::create_symlink(sample("fits"), folder / "it.so");
  CHECK(plugin::look_into({sample("fits"), folder.path(), sample("fits")}).size() == 1);
}

TEST_CASE("a place that is missing is a problem and ends nothing", "[plugin][found]") {
  const auto all = plugin::look_into({"/nowhere/plugins", sample("fits")});
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[0].problem, Contains("No such file or directory"));
  CHECK(all[1].fits());
}

TEST_CASE("DLRUN_PLUGINS goes before the user's folder and the installation's", "[plugin][found]") {
  const Variable named("DLRUN_PLUGINS", "/one::two/../here.so:");
  const Variable home("XDG_DATA_HOME", "/home/me/share");
  const auto all = plugin::folders();
  REQUIRE(all.size() == 4);
  CHECK(all[0] == "/one");
  CHECK(all[1] == fs::current_path() / "here.so");
  CHECK(all[2] == "/home/me/share/dlrun/plugins");
  CHECK(all[3].filename() == "plugins");
}

}  // namespace found_test
