// SPDX-License-Identifier: Apache-2.0
// The files of a program and its git work tree.
#include "driver/program_state.hpp"

#include <cstdlib>

#include "driver/git.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "trial/artifacts.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace program_state_test {

using namespace dlrun;
using namespace dlrun::driver;
using Names = std::vector<std::string>;

namespace {

struct Folder : support::TempFolder {
  Folder() {
    write_file(path() / "train.py", "train");
    write_file(path() / "conf.yaml", "conf");
    make_folders(path() / "data");
  }
  Json trial(const Names& command, bool shell = false) const {
    return {{"kind", "command"}, {"command", command}, {"shell", shell}, {"folder", path().string()}};
  }
  spec::StudySpec spec() const {
    spec::StudySpec spec;
    spec.kind = "command";
    spec.json = {{"trial", trial({"python3", "train.py", "--config=conf.yaml"})}};
    return spec;
  }
  void git(const std::string& words) const {
    const std::string who = "-c user.name=me -c user.email=me@here -c init.defaultBranch=main ";
    REQUIRE(std::system(("git -C '" + path().string() + "' " + who + words).c_str()) == 0);
  }
};

}  // namespace

TEST_CASE("files of a command are those that it names and that are there", "[driver][program]") {
  const Folder folder;
  const std::string whole = (folder.path() / "train.py").string();
  CHECK(named_files(folder.trial({"python3", "train.py", "--config=conf.yaml", "data", "none.py", "{x}"})) ==
        Names{"conf.yaml", "train.py"});
  CHECK(named_files(folder.trial({whole, "train.py", "./train.py"})) == Names{"./train.py", whole, "train.py"});
  CHECK(named_files(folder.trial({"cd .; python3 'train.py'<conf.yaml|cat"}, true)) == Names{"conf.yaml", "train.py"});
  CHECK(named_files(folder.trial({"train.py conf.yaml"})).empty());
  CHECK(named_files(Json{{"kind", "python"}, {"function", "train.py:go"}, {"folder", folder.path().string()}}) ==
        Names{"train.py"});
  CHECK(named_files(Json{{"kind", "train"}}).empty());
}

TEST_CASE("a program outside of git is its files", "[driver][program]") {
  const Folder folder;
  const ProgramState state = program_state(folder.spec());
  CHECK(state.program.files == std::map<std::string, std::string>{{"conf.yaml", Sha256::hex_of("conf")},
                                                                  {"train.py", Sha256::hex_of("train")}});
  CHECK(state.program.revision.empty());
  CHECK(state.changes.empty());
  spec::StudySpec other = folder.spec();
  other.kind = "function";
  CHECK_FALSE(program_state(other).program.is_recorded());
}

TEST_CASE("a program in a git work tree is recorded with what was changed", "[driver][program]") {
  const Folder folder;
  folder.git("init -q");
  folder.git("add train.py conf.yaml");
  folder.git("commit -q -m first");
  CHECK(program_state(folder.spec()).changes.empty());
  CHECK(program_state(folder.spec()).program.revision.size() == 40);
  CHECK_FALSE(has_git_changes(folder.path()));
  folder.git("rm -q --cached conf.yaml");
  write_file(folder.path() / "train.py", "other");
  const ProgramState state = program_state(folder.spec());
  CHECK_THAT(state.changes, Catch::Matchers::StartsWith("# not in git: conf.yaml\ndiff --git"));
  CHECK_THAT(state.changes, Contains("-train") && Contains("+other"));
  CHECK(state.program.changes == Sha256::hex_of(state.changes));
  CHECK(has_git_changes(folder.path()));
  keep_changes(state, folder.path() / "artifacts");
  CHECK(read_file(trial::artifact_path(folder.path() / "artifacts", state.program.changes)) == state.changes);
}

TEST_CASE("a script that is gone is missed, and files that a program may do without are not", "[driver][program]") {
  const Folder folder;
  spec::StudySpec spec = folder.spec();
  CHECK_NOTHROW(require_script(spec));
  std::filesystem::remove(folder.path() / "conf.yaml");
  CHECK_NOTHROW(require_script(spec));
  std::filesystem::remove(folder.path() / "train.py");
  CHECK_THROWS_WITH(require_script(spec), Contains("there is no file '" + (folder.path() / "train.py").string() + "'"));
  SECTION("a function of Python") {
    spec.kind = "python";
    spec.json["trial"] = {{"kind", "python"}, {"function", "train.py:go"}, {"folder", folder.path().string()}};
    CHECK_THROWS_WITH(require_script(spec), Contains("train.py'"));
  }
  SECTION("names that parameters or a shell give") {
    for (const Json& trial : {folder.trial({"python3", "{name}.py"}), folder.trial({"python3 train.py"}, true),
                              folder.trial({"python3", "-m", "train"}), folder.trial({"./train"})}) {
      spec.json["trial"] = trial;
      CHECK_NOTHROW(require_script(spec));
    }
  }
}

TEST_CASE("facts of a program are compared, where any were recorded", "[driver][program]") {
  const storage::Program then{.files = {{"a", "1"}, {"b", "2"}}, .revision = "r", .changes = ""};
  const storage::Program now{.files = {{"a", "1"}, {"b", "3"}, {"c", "4"}}, .revision = "s", .changes = "d"};
  std::string text;
  for (const ProgramChange& change : changes_between(then, now))
    text += change.what + " " + change.then + ">" + change.now + ";";
  CHECK(text == "b 2>3;c >4;git revision r>s;git diff >d;");
  CHECK(changes_between(now, now).empty());
  CHECK(changes_between({}, now).empty());
}

TEST_CASE("files that are not as they were are warned of, and commits are not", "[driver][program]") {
  const storage::Program then{.files = {{"a", "1"}, {"b", "2"}, {"d", "5"}}, .revision = "r", .changes = ""};
  storage::Program now = then;
  now.revision = "s";
  now.changes = "e";
  CHECK(program_warning(then, now).empty());
  now.files = {{"a", "1"}, {"b", "3"}, {"c", "4"}};
  CHECK_THAT(program_warning(then, now), Contains("last taken up: b, c, d; earlier"));
  CHECK(program_warning({}, now).empty());
}

}  // namespace program_state_test
