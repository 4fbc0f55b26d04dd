// SPDX-License-Identifier: Apache-2.0
// One reading by a plugin in a process of its own: its request, its limits, and every way in which it fails.
#include "dataset/arrays/apart.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "readings.hpp"
#include "support/catch.hpp"

namespace apart_test {

using namespace readings_test;

namespace {

/// One reading of the file "it".
struct Asked {
  explicit Asked(const std::string& does) {
    place.write("it", "the arrays");
    reading = {.plugin = plugin::find(plugin::Kind::data, "named_arrays"),
               .options = {{"does", does}},
               .files = {{"path", place.path("it")}, {"more", "/tmp/more"}},
               .names = {{"inputs", {{"x", "/images"}}}},
               .limits = {.seconds = 60, .memory = 123'456'789}};
  }
  std::string fault() const {
    return fault_of(place, [&] { read_apart(reading, place.folder.path()); });
  }
  Json request() const { return Json::parse(place.log_of("it")); }

  Place place;
  Reading reading;
};

/// A variable of the environment, until the end of a block.
struct Variable {
  Variable(const char* variable, const char* value) : name(variable) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name); }
  const char* name;
};

}  // namespace

TEST_CASE("a reading gives the bytes that the plugin left, and their hash", "[readings][apart]") {
  const Asked asked("nothing");
  const Mapped mapped = read_apart(asked.reading, asked.place.folder.path() / "new/folder");
  CHECK(mapped.text() == "the arrays");
  CHECK(mapped.sha256 == map_file(asked.place.path("it"), "path").sha256);
  CHECK(fs::is_empty(asked.place.folder.path() / "new/folder"));
}

TEST_CASE("the guest is told object, options, files, names and memory", "[readings][apart]") {
  const Asked asked("nothing");
  read_apart(asked.reading, asked.place.folder.path());
  const Json log = asked.request();
  CHECK(log.at("arguments") == Json{"--read-data"});
  const Json request = log.at("request");
  CHECK(request.size() == 5);
  CHECK(request.at("object") == asked.reading.plugin->file.string());
  CHECK(request.at("options") == Json{{"does", "nothing"}});
  CHECK(request.at("files") == Json{{"path", asked.place.path("it")}, {"more", "/tmp/more"}});
  CHECK(request.at("names") == asked.reading.names);
  CHECK(request.at("memory") == 123'456'789);
}

TEST_CASE("the guest leads a group, ends with us and has no blocked signals", "[readings][apart]") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const Asked asked("nothing");
  read_apart(asked.reading, asked.place.folder.path());
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  CHECK(asked.request().at("leads") == true);
  CHECK(asked.request().at("dies") == true);
  CHECK(asked.request().at("blocked") == false);
}

TEST_CASE("the memory of a reading is the environment's, else the section's, else of the machine",
          "[readings][apart]") {
  Asked asked("nothing");
  SECTION("of the machine") {
    asked.reading.limits.memory = 0;
    read_apart(asked.reading, asked.place.folder.path());
    const double all = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
    CHECK(std::abs(asked.request()["request"]["memory"].get<double>() - all * 0.75) <= 1);
  }
  SECTION("of the environment") {
    const Variable memory("DLRUN_PLUGIN_MEMORY_MB", "77.5");
    read_apart(asked.reading, asked.place.folder.path());
    CHECK(asked.request()["request"]["memory"] == 77'500'000);
  }
  SECTION("one byte") {
    asked.reading.limits.memory = 1;
    read_apart(asked.reading, asked.place.folder.path());
    CHECK(asked.request()["request"]["memory"] == 1);
  }
}

TEST_CASE("each end of a reading has its fault", "[readings][apart]") {
  std::string text;
  for (const char* does : {"nothing", "crash", "is killed", "exits", "says one line", "says much", "says a lot",
                           "says blanks", "says nothing", "answers nothing", "answers and fails", "closes and waits",
                           "faults", "lacks memory", "lacks room", "breaks"})
    text += std::string(does) + ": " + Asked(does).fault();
  const std::string wanted = support::golden(fs::path(DLRUN_READINGS) / "ends.txt", text);
  CHECK(text == wanted);
}

TEST_CASE("an answer that is no JSON is dlrun-guest's fault", "[readings][apart]") {
  CHECK_THAT(Asked("answers oddly").fault(), Contains("the answer of dlrun-guest"));
}

TEST_CASE("a reading that takes too long is ended", "[readings][apart]") {
  Asked asked("hangs");
  asked.reading.limits.seconds = 0.25;
  CHECK(asked.fault() ==
        "plugin's fault, outside at 'path', place '': plugin 'named_arrays' took longer than 0.25 seconds to read "
        "'DIR/it' []\n");
  asked.reading.limits.seconds = 60;
  const Variable deadline("DLRUN_PLUGIN_DEADLINE", "0.1");
  CHECK_THAT(asked.fault(), Contains("took longer than 0.1 seconds"));
}

TEST_CASE("a folder that takes no file is a fault of the machine", "[readings][apart]") {
  const Asked asked("nothing");
  CHECK(fault_of(asked.place, [&] { read_apart(asked.reading, "/proc"); }) ==
        "outside at 'path', place '': cannot write into '/proc': No such file or directory []\n");
}

}  // namespace apart_test
