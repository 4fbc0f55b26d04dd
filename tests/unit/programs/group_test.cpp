// SPDX-License-Identifier: Apache-2.0
// Programs with several hosts, over a srun that starts ranks as processes of this machine.
#include "programs/group.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "programs/subprocess.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace group_test {

using namespace dlrun;
using namespace dlrun::programs;
using Catch::Matchers::Contains;

namespace {

/// MISSING is a rank that does not start. STRANGE is one of which another program tells the leader how it ended.
constexpr const char* kSrun = R"(#!/bin/sh
while [ "${1#--}" != "$1" ]; do [ "${1#--ntasks=}" = "$1" ] || ranks=${1#*=}; shift; done
export SLURM_LAUNCH_NODE_IPADDR=127.0.0.1
for i in $(seq 0 $((ranks - 1))); do
  [ $i = "$STRANGE" ] && { ./strange $i & continue; }
  [ $i = "$MISSING" ] || SLURM_PROCID=$i SLURMD_NODENAME=n$i "$@" &
done
[ -z "$MISSING" ] || { echo "srun: error: task launch failed" >&2; exit 1; }
wait
)";

constexpr const char* kStrange = R"(#!/bin/bash
exec 9<>/dev/tcp/127.0.0.1/$(grep -o '"port": *[0-9]*' <<< "$DLRUN_GROUP" | grep -o '[0-9]*')
token=$(grep -o '"token": *"[0-9a-f]*' <<< "$DLRUN_GROUP")
echo "${token##*\"}$1 1 n$1" >&9
read -r port <&9
echo ended soon >&9
read -r end <&9
)";

/// A shell's script as a program of two ranks.
class Group {
 public:
  explicit Group(const std::string& script, const std::string& variable = "A=b") {
    write_file(folder_ / "srun", kSrun, {.durable = false, .mode = 0700});
    write_file(folder_ / "strange", kStrange, {.durable = false, .mode = 0700});
    const auto binary = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "dlrun-worker";
    program_.emplace(Launch{.arguments = leader_command(binary.string(), 2, 0, {"sh", "-c", script}),
                            .environment = {variable, "PATH=" + folder_.path().string() + ":/usr/bin:/bin"},
                            .folder = folder_.path().string(),
                            .hands_on_sigterm = true});
  }

  bool pump() {
    return program_->pump(std::chrono::milliseconds(1000),
                          [this](Stream stream, std::string_view line) { said_[stream] += std::string(line) + "\n"; });
  }
  int status() {
    while (pump()) {
    }
    return program_->status();
  }
  std::string said(Stream stream) { return said_[stream]; }
  const support::TempFolder& folder() const { return folder_; }
  Subprocess& program() { return *program_; }

 private:
  support::TempFolder folder_;
  std::map<Stream, std::string> said_;
  std::optional<Subprocess> program_;
};

}  // namespace

TEST_CASE("ranks are told where they are, and the first one alone is heard", "[programs][group]") {
  Group group(R"(echo "out $RANK"; echo "report $RANK" >&3
    echo "$MASTER_ADDR $MASTER_PORT $WORLD_SIZE $NODE_RANK $LOCAL_RANK $DLRUN_GROUP" > place.$RANK)");
  CHECK(group.status() == 0);
  CHECK(group.said(Stream::out) == "out 0\n");
  CHECK(group.said(Stream::report) == "report 0\n");
  CHECK(group.said(Stream::err) == "out 1\n");
  const std::string first = read_file(group.folder() / "place.0"), second = read_file(group.folder() / "place.1");
  CHECK_THAT(first, Catch::Matchers::StartsWith("127.0.0.1 ") && Catch::Matchers::EndsWith(" 2 0 0 \n"));
  CHECK(second == first.substr(0, first.find(" 2 0")) + " 2 1 0 \n");
}

TEST_CASE("the first rank that fails ends the others, and is the program's failure", "[programs][group]") {
  const auto [script, status, said] = GENERATE(table<std::string, int, std::string>(
      {{"[ $RANK = 1 ] && exit 3; sleep 100", 3 << 8, "rank 1 on n1 ended with exit code 3\n"},
       {"[ $RANK = 0 ] && exit 85; sleep 100", 85 << 8, ""},
       {"[ $RANK = 1 ] && kill -9 $$; sleep 100", SIGKILL, "rank 1 on n1 ended with signal 9 (Killed)\n"},
       {"[ $RANK = 1 ] && kill $$; sleep 100", 75 << 8,
        "rank 1 on n1 ended with signal 15 (Terminated), which was not sent by dlrun\n"},
       {"[ $RANK = 1 ] && kill -9 $PPID; sleep 100", 75 << 8, "rank 1 on n1 was lost: its connection broke\n"}}));
  Group group(script);
  CHECK(group.status() == status);
  CHECK(group.said(Stream::err) == said);
}

TEST_CASE("a rank that cannot start leaves none running", "[programs][group]") {
  SECTION("its host has failed") {
    Group group("touch begun.$RANK", "MISSING=1");
    CHECK(group.status() == 75 << 8);
    CHECK_THAT(group.said(Stream::err), Contains("could start: srun ended with exit code 1\n"));
  }
  SECTION("there is no srun") {
    Group group("touch begun.$RANK", "PATH=/nowhere");
    CHECK(group.status() == 75 << 8);
    CHECK(group.said(Stream::err) == "cannot run srun: No such file or directory\n");
  }
}

// The leader ended by an exception, and the worker with it.
TEST_CASE("a rank whose end cannot be read is lost", "[programs][group]") {
  Group group("sleep 100", "STRANGE=1");
  CHECK(group.status() == 75 << 8);
  CHECK(group.said(Stream::err) == "rank 1 on n1 was lost: it said 'ended soon'\n");
}

TEST_CASE("a group that is asked to end has its grace, and dies with its leader", "[programs][group]") {
  Group group(R"(trap 'echo saved > saved.$RANK; exit 0' TERM; echo $$ > pid.$RANK; echo begun
    while :; do sleep 0.01; done)");
  while (group.said(Stream::out).empty() || group.said(Stream::err).empty()) REQUIRE(group.pump());
  SECTION("asked") {
    group.program().signal_all(SIGTERM);
    CHECK(group.status() == 0);
    CHECK(read_file(group.folder() / "saved.0") + read_file(group.folder() / "saved.1") == "saved\nsaved\n");
  }
  SECTION("killed") {
    const int pid = std::stoi(read_file(group.folder() / "pid.1"));
    group.program().signal_group(SIGKILL);
    CHECK(group.status() == SIGKILL);
    for (int i = 0; i < 30'000 && ::kill(pid, 0) == 0; ++i) ::usleep(1000);
    CHECK(::kill(pid, 0) != 0);
    CHECK(!std::filesystem::exists(group.folder() / "saved.1"));
  }
}

}  // namespace group_test
