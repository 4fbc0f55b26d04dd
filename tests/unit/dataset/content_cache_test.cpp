// SPDX-License-Identifier: Apache-2.0
// Decoded images and learned vocabularies from the cache: the same bits, whatever happens to its files.
#include "dataset/content_cache.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace content_cache_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> kept(const DataFolder& folder, const std::string& kind) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path() / "cache" / "dlrun" / kind, none))
    files.push_back(entry.path());
  return files;
}

std::string image(const std::string& name) { return read_file(DLRUN_SOURCE_DIR "/tests/golden/images/" + name); }

void write_images(const DataFolder& folder) {
  for (const char* kind : {"cat", "dog"}) {
    for (const char* name : {"rgb.jpg", "grey.jpg", "progressive.jpg", "alpha.png", "palette.png"})
      folder.write(std::string("images/") + kind + "/" + name, image(name));
  }
}

Dataset load_images(const DataFolder& folder, const std::string& more = "") {
  return load(section((R"({"op":"image_folder","path":"images","size":8)" + more + "}").c_str()), folder.where(), 7);
}

Dataset load_text(const DataFolder& folder, const std::string& more = "") {
  return load(
      section(
          (R"({"op":"text","path":"t.txt","length":8,"vocabulary":{"kind":"bpe","size":300})" + more + "}").c_str()),
      folder.where(), 7);
}

/// DLRUN_CACHE_MB for a scope.
struct Limit {
  explicit Limit(const char* megabytes) { ::setenv("DLRUN_CACHE_MB", megabytes, 1); }
  ~Limit() { ::unsetenv("DLRUN_CACHE_MB"); }
};

}  // namespace

TEST_CASE("decoded images are kept and come back the same", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  const Dataset plain = load_images(folder, R"(,"cache":false)");
  CHECK(kept(folder, "images").empty());
  const Dataset first = load_images(folder);
  REQUIRE(kept(folder, "images").size() == 1);
  const Dataset second = load_images(folder);
  for (const Dataset* other : {&first, &second}) {
    CHECK(other->inputs[0].numbers() == plain.inputs[0].numbers());
    CHECK(other->targets.indices() == plain.targets.indices());
    CHECK(other->schema.sha256 == plain.schema.sha256);
    CHECK(other->schema.input() == plain.schema.input());
    CHECK(other->train == plain.train);
  }
  SECTION("another size is another entry") {
    CHECK(load_images(folder, R"(,"fit":"stretch")").inputs[0].numbers() != plain.inputs[0].numbers());
    CHECK(kept(folder, "images").size() == 2);
  }
  SECTION("another content is another entry") {
    folder.write("images/cat/rgb.jpg", image("progressive.jpg"));
    CHECK(load_images(folder).inputs[0].numbers() == load_images(folder, R"(,"cache":false)").inputs[0].numbers());
    CHECK(kept(folder, "images").size() == 2);
  }
}

TEST_CASE("a limit of the cache is a whole number", "[dataset][cache]") {
  CHECK_NOTHROW(require_cache_limit());
  for (const char* good : {"", "0", "500"}) {
    const Limit limit(good);
    CHECK_NOTHROW(require_cache_limit());
  }
  for (const char* bad : {"0.5", "1e3", "500MB", "-5"}) {
    const Limit limit(bad);
    CHECK_THROWS_WITH(require_cache_limit(), Contains("must be a whole number of megabytes"));
  }
}

TEST_CASE("a damaged file of the cache is made anew", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  const std::vector<float> expected = load_images(folder).inputs[0].numbers();
  const fs::path file = kept(folder, "images").at(0);
  const std::string sound = read_file(file);
  std::string damaged = sound;
  SECTION("a bit") { damaged[damaged.size() / 2] ^= 1; }
  SECTION("its head") { damaged[0] = 'x'; }
  SECTION("cut off") { damaged.resize(damaged.size() - 1); }
  SECTION("empty") { damaged.clear(); }
  write_file(file, damaged);
  CHECK(load_images(folder).inputs[0].numbers() == expected);
  REQUIRE(kept(folder, "images").size() == 1);
  CHECK(read_file(kept(folder, "images")[0]) == sound);
}

TEST_CASE("a sound file that is none of images is passed over", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  const std::vector<float> expected = load_images(folder).inputs[0].numbers();
  const std::string name = kept(folder, "images").at(0).filename().string();
  fs::remove(kept(folder, "images").at(0));
  ContentCache("images", name.substr(0, 64), true)
      .keep("3 1000000 1000000 and nothing more, padded to sixty-four bytes or more ...");
  CHECK(load_images(folder).inputs[0].numbers() == expected);
}

TEST_CASE("a damaged image is refused though others are kept", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  load_images(folder);
  folder.write("images/cat/rgb.jpg", image("rgb.jpg").substr(0, 300));
  CHECK_THROWS_AS(load_images(folder), DataError);
}

TEST_CASE("a learned vocabulary is kept and comes back the same", "[dataset][cache]") {
  const DataFolder folder;
  folder.write("t.txt", read_file(DLRUN_SOURCE_DIR "/tests/golden/text/text.txt"));
  const Dataset plain = load_text(folder, R"(,"cache":false)");
  CHECK(kept(folder, "vocabulary").empty());
  for (int round = 0; round < 2; ++round) {
    const Dataset again = load_text(folder);
    CHECK(again.schema.class_names == plain.schema.class_names);
    CHECK(again.inputs[0].indices() == plain.inputs[0].indices());
    CHECK(again.schema.sha256 == plain.schema.sha256);
    CHECK(kept(folder, "vocabulary").size() == 1);
  }
  SECTION("of another size it is another") {
    const char* const larger = R"({"op":"text","path":"t.txt","length":8,"vocabulary":{"kind":"bpe","size":310}})";
    CHECK(load(section(larger), folder.where(), 7).schema.classes == 310);
    CHECK(kept(folder, "vocabulary").size() == 2);
  }
  SECTION("pairs that cannot be are learned anew") {
    const std::string key = kept(folder, "vocabulary").at(0).filename().string().substr(0, 64);
    const auto* nonsense = GENERATE("[[2,900]]", "[[0,5]]", "[[-7,5]]", "[[2]]", "{}", "no json", "[[2,\"a\"]]");
    fs::remove(kept(folder, "vocabulary").at(0));
    ContentCache("vocabulary", key, true).keep(nonsense);
    CHECK(load_text(folder).inputs[0].indices() == plain.inputs[0].indices());
  }
  SECTION("where nothing is learned, 'cache' has no effect") {
    const char* const bytes = R"({"op":"text","path":"t.txt","length":8,"cache":false})";
    CHECK_THROWS_WITH(load(section(bytes), folder.where(), 7), Contains("'cache' has no effect"));
  }
}

TEST_CASE("the cache stays below its limit", "[dataset][cache]") {
  const DataFolder folder;
  const Limit limit("1");
  const auto key = [](char c) { return std::string(64, c); };
  const std::string content(400'000, 'x');
  ContentCache("images", key('a'), true).keep(content + "a");
  ContentCache("images", key('b'), true).keep(content + "b");
  CHECK(kept(folder, "images").size() == 2);
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& file : kept(folder, "images"))
    fs::last_write_time(file, now - std::chrono::hours(file.filename().string()[0] == 'a' ? 1 : 2));
  ContentCache("images", key('c'), true).keep(content + "c");
  CHECK(ContentCache("images", key('a'), true).find().has_value());
  CHECK_FALSE(ContentCache("images", key('b'), true).find().has_value());  // used longest ago
  CHECK(ContentCache("images", key('c'), true).find().has_value());
  SECTION("what is larger alone is not kept") {
    ContentCache("images", key('d'), true).keep(std::string(1'000'001, 'd'));
    CHECK(kept(folder, "images").size() == 2);
  }
  SECTION("0 keeps nothing") {
    const Limit none("0");
    ContentCache("images", key('e'), true).keep("e");
    CHECK_FALSE(ContentCache("images", key('e'), true).find().has_value());
  }
}

TEST_CASE("several workers at once make the same entry", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  const std::vector<float> expected = load_images(folder, R"(,"cache":false)").inputs[0].numbers();
  std::vector<pid_t> workers;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int round = 0; round < 5; ++round) {
        if (load_images(folder).inputs[0].numbers() != expected) ::_exit(1);
        std::error_code ignored;
        for (const fs::path& file : kept(folder, "images")) fs::remove(file, ignored);
      }
      ::_exit(0);
    }
    workers.push_back(child);
  }
  for (const pid_t worker : workers) {
    int status = 1;
    REQUIRE(::waitpid(worker, &status, 0) == worker);
    CHECK(status == 0);
  }
}

TEST_CASE("decoded images that cannot be kept are no fault", "[dataset][cache]") {
  const DataFolder folder;
  write_images(folder);
  folder.write("cache", "a file where the folder would be");
  CHECK(load_images(folder).schema.classes == 2);
}

}  // namespace content_cache_test
