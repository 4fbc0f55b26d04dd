// SPDX-License-Identifier: Apache-2.0
#include "document/load.hpp"

#include <unistd.h>

#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace load_test {

using namespace dlrun;
using namespace dlrun::document;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("dlrun-load-" + std::to_string(::getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    write_file(path / name, text, {.durable = false});
  }
};

struct Read {
  Diagnostics faults;
  Loaded loaded;
  Read(const Folder& folder, const std::string& name, std::vector<std::string> sets = {}) {
    LoadOptions options{folder.path / name, std::move(sets), {folder.path / "configs"}, {}};
    options.environment.lookup = [](const std::string& name) -> std::optional<std::string> {
      if (name == "LR") return "0.5";
      if (name == "EMPTY") return "";
      if (name == "ESCAPE") return "a\x1b[31m";
      return std::nullopt;
    };
    options.environment.keep = {"args"};
    loaded = load(options, faults);
  }
  const Node& at(const std::string& path) const {
    const Node* node = &*loaded.root;
    for (std::size_t start = 0; start <= path.size();) {
      const std::size_t dot = std::min(path.find('.', start), path.size());
      node = node->find(path.substr(start, dot - start));
      REQUIRE(node != nullptr);
      start = dot + 1;
    }
    return *node;
  }
  std::string errors() const { return faults.render_errors(); }
};

}  // namespace

TEST_CASE("a file is laid over what it extends", "[document][extends]") {
  const Folder folder;
  folder.write("base.yaml", "a: {x: 1, y: 2, z: 3}\nl: [1, 2, 3]\n");
  folder.write("configs/other.yaml", "a: {y: 20}\nnew: 1\n");
  folder.write("study.yaml", "extends: [base, other]\na: {z: null, w: 4}\nl: [9]\n");
  const Read read(folder, "study.yaml");
  CHECK(read.errors().empty());
  CHECK(read.at("a.x").text == "1");
  CHECK(read.at("a.y").text == "20");
  CHECK(read.at("a").find("z") == nullptr);
  CHECK(read.at("a.w").text == "4");
  CHECK(read.at("l").items.size() == 1);
  CHECK(read.at("new").text == "1");
  CHECK(read.loaded.root->find("extends") == nullptr);
}

TEST_CASE("a value knows the file it came from, and that file's folder", "[document][extends]") {
  const Folder folder;
  folder.write("configs/deep/piece.yaml", "path: data.csv\n");
  folder.write("study.yaml", "data: {extends: deep/piece}\n");
  const Read read(folder, "study.yaml");
  CHECK(read.at("data.path").span.source->folder.filename() == "deep");
  CHECK(read.at("data.path").span.source->name == (folder.path / "configs/deep/piece.yaml").string());
}

TEST_CASE("pieces are looked for beside the file that names them before configs/", "[document][extends]") {
  const Folder folder;
  folder.write("piece.yaml", "who: beside\n");
  folder.write("configs/piece.yaml", "who: configs\n");
  folder.write("study.yaml", "extends: piece\n");
  CHECK(Read(folder, "study.yaml").at("who").text == "beside");
}

TEST_CASE("circles of extends end with the chain, also through links", "[document][extends]") {
  const Folder folder;
  folder.write("a.yaml", "extends: b\n");
  folder.write("b.yaml", "extends: c\n");
  fs::create_symlink(folder.path / "a.yaml", folder.path / "c.yaml");
  CHECK_THAT(Read(folder, "a.yaml").errors(), Contains("circle: a.yaml -> b.yaml -> a.yaml"));
}

TEST_CASE("pieces that double at every level end at a hundred files", "[document][extends]") {
  const Folder folder;
  for (int i = 0; i < 14; ++i) {
    const std::string next = "p" + std::to_string(i + 1);
    folder.write("p" + std::to_string(i) + ".yaml", "extends: [" + next + ", " + next + "]\n");
  }
  folder.write("p14.yaml", "a: 1\n");
  CHECK_THAT(Read(folder, "p0.yaml").errors(), Contains("more than 100 files"));
}

TEST_CASE("a device is no piece, and a folder no study", "[document][extends]") {
  const Folder folder;
  folder.write("study.yaml", "extends: /dev/zero\n");
  CHECK_THAT(Read(folder, "study.yaml").errors(), Contains("no file '/dev/zero'"));
  CHECK_THROWS_AS(Read(folder, "configs"), Error);
  CHECK_THROWS_WITH(Read(folder, "none.yaml"), Contains("none.yaml"));
}

TEST_CASE("variables are filled in, in scalars only", "[document][environment]") {
  const Folder folder;
  folder.write("study.yaml",
               "lr: ${LR}\nq: \"${LR}\"\ndef: ${NO:-1e-3}\nempty: \"${EMPTY:-x}\"\nin: a${LR}b${NO:-}c\nraw: $${LR}\n"
               "all: ${args}\nplain: $5\n\"${LR}\": key\n");
  const Read read(folder, "study.yaml");
  CHECK(read.errors().empty());
  CHECK(classify(read.at("lr")) == Scalar(0.5));
  CHECK(classify(read.at("q")) == Scalar(0.5));
  CHECK(classify(read.at("def")) == Scalar(1e-3));
  CHECK(read.at("empty").text == "x");
  CHECK(read.at("in").text == "a0.5bc");
  CHECK(read.at("raw").text == "${LR}");
  CHECK(read.at("all").text == "${args}");
  CHECK(read.at("plain").text == "$5");
  CHECK(read.loaded.root->find("${LR}") != nullptr);
}

TEST_CASE("a variable that is missing, or would act on the terminal, is a fault with a place",
          "[document][environment]") {
  const Folder folder;
  folder.write("study.yaml", "a: ${NO}\nb: ${EMPTY}\nc: ${ESCAPE}\nd: ${LR\n");
  const Read read(folder, "study.yaml");
  CHECK(read.faults.error_count() == 4);
  CHECK_THAT(read.errors(),
             Contains("'NO' is not set") && Contains("'EMPTY' is not set") && Contains("no printable text"));
  CHECK(read.errors().find('\x1b') == std::string::npos);
}

TEST_CASE("a default names no further variable", "[document][environment]") {
  const Folder folder;
  folder.write("study.yaml", "a: ${NO:-${LR}/x}\nb: ${NO:-$5}\n");
  const Read read(folder, "study.yaml");
  CHECK(read.faults.error_count() == 1);
  CHECK_THAT(read.errors(), Contains("study.yaml:1:4") && Contains("names a variable in the default of another"));
}

TEST_CASE("the shell sets values, also in lists by name or number", "[document][set]") {
  const Folder folder;
  folder.write("study.yaml", "a: {b: 1}\nnodes:\n  - {name: fc1, out: 1}\n  - {name: s.conv, out: 2}\nn:\n");
  const Read read(folder, "study.yaml",
                  {"a.b=[2, 3]", "a.c.d=x", "nodes.fc1.out=64", "nodes.s.conv.out=128", "nodes.0.extra=true", "n.m=1"});
  CHECK(read.errors().empty());
  CHECK(read.at("a.b").items.size() == 2);
  CHECK(read.at("a.c.d").text == "x");
  const Node& nodes = read.at("nodes");
  CHECK(nodes.items[0].find("out")->text == "64");
  CHECK(nodes.items[1].find("out")->text == "128");
  CHECK(nodes.items[0].find("extra")->text == "true");
  CHECK(read.at("n.m").text == "1");
}

TEST_CASE("null from the shell removes", "[document][set]") {
  const Folder folder;
  folder.write("study.yaml", "a: {b: 1, c: 2}\n");
  const Read read(folder, "study.yaml", {"a.b=null", "a.c=~"});
  CHECK(read.at("a").entries.empty());
}

TEST_CASE("what the shell left empty, and what is not there to remove, are faults", "[document][set]") {
  const Folder folder;
  folder.write("study.yaml", "a: {bcd: 1, c: 2}\n");
  CHECK_THAT(Read(folder, "study.yaml", {"a.c="}).errors(),
             Contains("has no value: is a variable of the shell empty?"));
  CHECK_THAT(Read(folder, "study.yaml", {"a.c=#ff0000"}).errors(), Contains("has no value: '#' begins a comment"));
  CHECK(Read(folder, "study.yaml", {"a.c='#ff0000'"}).at("a.c").text == "#ff0000");
  CHECK_THAT(Read(folder, "study.yaml", {"a.bcf=null"}).errors(),
             Contains("there is no 'bcf' to remove") && Contains("did you mean 'bcd'?"));
  CHECK_THAT(Read(folder, "study.yaml", {"a.c=\"x\\0y\""}).errors(), Contains("a text has a zero byte"));
}

TEST_CASE("what the shell sets has a place of its own", "[document][set]") {
  const Folder folder;
  folder.write("study.yaml", "a: {b: 1}\n");
  CHECK(to_string(Read(folder, "study.yaml", {"a.b=12"}).at("a.b").span) == "--set:1:5");
}

}  // namespace load_test
