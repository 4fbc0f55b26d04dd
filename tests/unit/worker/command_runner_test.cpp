// SPDX-License-Identifier: Apache-2.0
#include "worker/command_runner.hpp"

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "program_trial.hpp"
#include "support/catch.hpp"
#include "trial/artifacts.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace command_runner_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

bool is_alive(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.find(") Z") == std::string::npos;
}

}  // namespace

TEST_CASE("a program that goes on beyond the trial's epochs is told of, one that goes beyond a rung is not",
          "[worker][command]") {
  Program program(R"(for i in 1 2 3; do echo '{"metric":"acc","step":'$i',"value":'$i'}' >&3; done)", 2);
  program.setup.trial["epochs"] = GENERATE(2, 3);
  const auto result = program.run();
  CHECK(result.reports.size() == 2);
  const bool is_told = result.message.find("up to step 3, but those after step 2 do not count") != std::string::npos;
  CHECK(is_told == (program.setup.trial["epochs"] == 2));
}

TEST_CASE("a variant with fewer epochs than the piece is told its own, and has ended early", "[worker][command]") {
  Program program(R"(test $DLRUN_TO_STEP = 1 && echo '{"metric":"acc","step":1,"value":1}' >&3)", 3);
  program.setup.trial["epochs"] = 1;
  const auto result = program.run();
  CHECK(result.outcome == trial::Outcome::early);
  CHECK(result.reports.size() == 1);
}

TEST_CASE("parameters of one value are given as those of the space are, and one that is null is not active",
          "[worker][command]") {
  Program program(R"end(test "$1/$2/$#" = 7/--lr=x/3 || exit 9
    test "$(cat "$DLRUN_PARAMS")" = '{{"lr":"x","n.a":7}}' || exit 8
    echo '{{"metric":"acc","step":1,"value":1}}' >&3)end");
  const std::string script = program.order.params["lr"];
  program.order.params["lr"] = "x";
  program.setup.trial["command"] = {"sh", "-c", script, "sh", "{n.a}", "--mom={mom}", "${args}"};
  program.setup.trial["params"] = {{"n.a", 7}, {"mom", nullptr}};
  const auto result = program.run();
  CHECK(result.message == "");
  CHECK(result.outcome == trial::Outcome::completed);
}

TEST_CASE("a command reports on fd 3 and sees its parameters", "[worker][command]") {
  Program program(R"(echo hello $COLOUR; echo oops >&2
    echo '{"metric":"acc","step":1,"value":0.25}' >&3
    echo '{"metric":"acc","step":2,"value":0.5}' >&3
    test "$DLRUN_TRIAL/$DLRUN_ATTEMPT/$DLRUN_SEED/$DLRUN_TO_STEP" = 17/1/7/2 || exit 9
    grep -q lr "$DLRUN_PARAMS")",
                  2);
  const auto result = program.run();
  CHECK(result.message == "");
  CHECK(result.outcome == trial::Outcome::completed);
  REQUIRE(result.reports.size() == 2);
  CHECK(result.reports[1] == trial::Report{2, {{"acc", 0.5}}});
  CHECK(program.host.reports.size() == 1);
  CHECK(std::count(program.host.lines.begin(), program.host.lines.end(), "hello red") == 1);
  CHECK(std::count(program.host.lines.begin(), program.host.lines.end(), "oops") == 1);
}

TEST_CASE("a program that ends by itself before the piece does has ended its trial early", "[worker][command]") {
  Program program(R"(for i in 1 2; do echo '{"metric":"acc","step":'$i',"value":'$i'}' >&3; done)", 3);
  program.setup.trial["epochs"] = 9;
  SECTION("with values of its own") {
    const auto result = program.run();
    CHECK(result.outcome == trial::Outcome::early);
    CHECK(result.reports.size() == 2);
  }
  SECTION("with a result") {
    program.order.params["lr"] = program.order.params["lr"].get<std::string>() + R"(; echo '{"result":{"acc":7}}' >&3)";
    const auto result = program.run();
    CHECK(result.outcome == trial::Outcome::early);
    CHECK(result.reports == std::vector<trial::Report>{{1, {{"acc", 1}}}, {2, {{"acc", 7}}}});
  }
  SECTION("or with none, where earlier pieces had some") {
    program.order.from_step = 2;
    const auto result = program.run();
    CHECK(result.outcome == trial::Outcome::early);
    CHECK(result.reports.empty());
    CHECK(result.repeated == 2);
  }
}

// Values of the newest step, and of steps that were done again, were not heard: such trials failed as hanging.
TEST_CASE("a program that reports and does not print does not hang", "[worker][command]") {
  Program program(
      R"(for i in 1 2; do sleep 1; echo '{"metric":"acc","step":'$i',"value":1}' >&3; done
    echo '{"metric":"acc","step":3,"value":1}' >&3)",
      3);
  program.setup.silence_limit = 1.5;
  program.order.from_step = GENERATE(0, 2);
  const auto result = program.run();
  CHECK(result.message == "");
  CHECK(result.outcome == trial::Outcome::completed);
}

TEST_CASE("arguments know the member that they are for", "[worker][command]") {
  Program program(R"(echo "$0" "$@"; echo '{"metric":"acc","step":1,"value":1}' >&3)");
  program.setup.trial["command"] = {"sh",      "-c",     "{lr}",      "{seed}",      "{epochs}",
                                    "{trial}", "{fold}", "{to_step}", "{replicate}", "{folder}"};
  program.setup.trial["first_replicate"] = 2;
  program.order.key.member.replicate = 3;
  program.order.key.member.fold = 2;
  CHECK(program.run().outcome == trial::Outcome::completed);
  CHECK(program.host.lines == std::vector<std::string>{"11 1 17 2 1 4 " + program.order.folder});
}

TEST_CASE("on a GPU a program waits if it has the client and half of the memory is free", "[worker][command]") {
  const std::string reports = R"(echo '{"metric":"acc","step":1,"value":1}' >&3;)";
  const std::string waits = R"(echo '{"client":1}' >&3;)" + reports + R"(echo '{"waits":1}' >&3; cat <&4)";
  const auto [script, free, parked, is_kept] =
      GENERATE_COPY(table<std::string, const char*, int, bool>({{waits, "50", -1, true},
                                                                {waits, "49", -1, false},
                                                                {waits, "50", 0, false},
                                                                {reports + "cat <&4", "50", -1, false},
                                                                {reports + "cat <&4", "0", 1, true}}));
  Program program(script);
  program.setup.trial["epochs"] = 2;
  program.setup.device = "cuda";
  program.setup.parked = parked;
  write_file(program.folder.path() / "cards", "GPU-aa H100 1 1\n", {.durable = false});
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  ::setenv("DLRUN_NVML", DLRUN_FAKE_LIBRARY, 1);
  ::setenv("DLRUN_FAKE_NVML", (program.folder.path() / "cards").c_str(), 1);
  ::setenv("DLRUN_FAKE_FREE", free, 1);
  CHECK(program.run().parked_at.empty() != is_kept);
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "DLRUN_NVML", "DLRUN_FAKE_NVML", "DLRUN_FAKE_FREE"})
    ::unsetenv(name);
}

TEST_CASE("a port that another process took is a fault of the trial only if dlrun did not choose it",
          "[worker][command]") {
  Program program("echo 'OSError: [Errno 98] Address already in use' >&2; exit 1");
  CHECK(program.run().cause == trial::Cause::exception);
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  program.setup.gpus = 1;
  const auto result = program.run();
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(result.cause == trial::Cause::worker_lost);
  CHECK_THAT(result.message, Contains("another process took the program's MASTER_PORT"));
}

TEST_CASE("a worker that sees fewer GPUs than a program needs does not start it", "[worker][command]") {
  Program program("exit 0");
  program.setup.gpus = 2;
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  CHECK_THROWS_WITH(program.run(), Contains("a program needs 2 GPUs (resources.gpus), but its host shows 1"));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_CASE("exit codes and signals have their causes", "[worker][command]") {
  const auto [script, cause, message] = GENERATE(table<std::string, trial::Cause, std::string>(
      {{"exit 3", trial::Cause::exception, "exit code 3"},
       {"echo why >&2; echo out; exit 1", trial::Cause::exception, "exit code 1: why"},
       {"exit 75", trial::Cause::worker_lost, "tried again"},
       {"exit 85", trial::Cause::exception, "no checkpoint was reported"},
       {"exit 0", trial::Cause::exception, "reported no value of 'acc'"},
       {"echo '{\"metric\":\"ac\",\"value\":1}' >&3", trial::Cause::exception, "value of 'acc'; it reported 'ac'"},
       {"echo '{\"metric\":\"acc\",\"step\":5,\"value\":1}' >&3", trial::Cause::exception,
        "no value of 'acc' up to step 1, but values up to step 5: `epochs: 1` says"},
       {"echo no JSON >&3", trial::Cause::exception, "its log says which lines were not understood"},
       {"kill -SEGV $$", trial::Cause::signal, "signal 11"},
       {"echo '{\"metric\":\"acc\",\"value\":\"inf\"}' >&3", trial::Cause::nan, "acc is infinite at step 1"}}));
  const auto result = Program(script).run();
  CHECK(result.outcome == trial::Outcome::failed);
  CHECK(result.cause == cause);
  CHECK_THAT(result.message, Contains(message));
}

TEST_CASE("a program that says at its limit that memory was wanting has the cause oom", "[worker][command]") {
  const auto [script, cause] = GENERATE(
      table<std::string, trial::Cause>({{"echo MemoryError >&2; exit 1", trial::Cause::oom},
                                        {"echo '  what():  std::bad_alloc' >&2; kill -ABRT $$", trial::Cause::oom},
                                        {"echo MemoryError >&2; echo other >&2; exit 1", trial::Cause::exception},
                                        {"kill -ABRT $$", trial::Cause::signal}}));
  Program program(script);
  program.setup.memory_bytes = 4'000'000'000;
  CHECK(program.run().cause == cause);
  program.setup.memory_bytes = 0;
  CHECK(program.run().cause != trial::Cause::oom);
}

TEST_CASE("exit code 85 runs the program again from its checkpoint", "[worker][command]") {
  Program program(R"sh(if [ -z "$DLRUN_RESUME" ]; then
      echo state > "$DLRUN_DIR/ck"; echo '{"checkpoint":"ck","step":1}' >&3; exit 85
    fi
    test "$(cat "$DLRUN_RESUME")" = state && echo '{"result":{"acc":1}}' >&3)sh");
  const auto result = program.run();
  CHECK(result.message == "");
  REQUIRE(result.artifacts.size() == 1);
  CHECK(result.artifacts[0].role == "last");
  CHECK(read_file(trial::artifact_path(program.setup.artifacts, result.artifacts[0].sha256)) == "state\n");
}

TEST_CASE("a program may be run again as often as its checkpoint gets on", "[worker][command]") {
  const std::string again = R"sh(echo "{\"checkpoint\":\"ck\",\"step\":$step}" >&3; exit 85)sh";
  const std::string begin = R"sh(cd "$DLRUN_DIR"; echo x > ck; step=$((DLRUN_FROM_STEP + 1));)sh";
  SECTION("beyond 1000 times") {
    Program program(begin + R"sh(echo "{\"metric\":\"acc\",\"step\":$step,\"value\":1}" >&3
      [ $step -lt 1010 ] || exit 0; )sh" +
                        again,
                    1010);
    CHECK(program.run().message == "");
  }
  SECTION("but not for ever at one step") {
    const auto result = Program("step=1; cd \"$DLRUN_DIR\"; echo x > ck; " + again, 2).run();
    CHECK(result.cause == trial::Cause::exception);
    CHECK_THAT(result.message, Contains("asked to be run again 1000 times without a checkpoint of a later step"));
  }
}

TEST_CASE("a program begins with the checkpoint of a donor, until it has one of its own", "[worker][command]") {
  Program program(R"sh(echo "{\"metric\":\"acc\",\"step\":$DLRUN_TO_STEP,\"value\":1}" >&3
    text_of() { test -z "$1" || cat "$1"; }
    echo "init $(text_of "$DLRUN_INIT") from $DLRUN_FROM_STEP, resume $(text_of "$DLRUN_RESUME")")sh");
  const trial::Artifact donor = [&] {
    write_file(program.folder.path() / "donor", "weights");
    return trial::keep_artifact(program.setup.artifacts, {program.folder.path() / "donor", "last", 9});
  }();
  program.setup.trial["warm_start"] = {{"policy", "best"}, {"donors", {{{"sha256", donor.sha256}, {"epoch", 9}}}}};
  SECTION("at its first step") {
    program.run();
    CHECK(program.host.lines.at(0) == "init weights from 0, resume ");
  }
  SECTION("where it begins again without a checkpoint") {
    program.order.from_step = 3;
    program.order.to_step = 4;
    program.run();
    CHECK(program.host.lines.at(0) == "init weights from 0, resume ");
  }
  SECTION("a damaged one is the store's fault") {
    write_file(trial::artifact_path(program.setup.artifacts, donor.sha256), "other");
    CHECK_THROWS_WITH(program.run(), Contains("is damaged"));
  }
  SECTION("but not beside a checkpoint that it goes on from") {
    write_file(program.folder.path() / "own", "state");
    program.order.resume =
        trial::keep_artifact(program.setup.artifacts, {program.folder.path() / "own", "last", 1}).sha256;
    program.run();
    CHECK(program.host.lines.at(0) == "init  from 0, resume state");
  }
}

// A pipe held the worker until Ctrl-C, and a device filled the disk.
TEST_CASE("a checkpoint is a file of a size that is allowed", "[worker][command]") {
  const auto [make, message] =
      GENERATE(table<std::string, std::string>({{"mkfifo ck", "ck' is a named pipe, not a file"},
                                                {"ln -s /dev/zero ck", "ck' is a device, not a file"},
                                                {"mkdir ck", "ck' is a folder, not a file"},
                                                {"truncate -s 1T ck", "ck' is larger than 16 GB"},
                                                {"head -c 2000000 /dev/zero > ck", "ck' is larger than 1.0 MB"}}));
  Program program("cd $DLRUN_DIR; " + make + R"(; echo '{"checkpoint":"ck","step":1}' >&3
    echo '{"result":{"acc":1}}' >&3)");
  if (make.starts_with("head")) program.setup.trial["artifacts"] = {{"max_mb", 1}};
  CHECK_THROWS_WITH(program.run(), Contains(message));
}

TEST_CASE("a sparse checkpoint stays sparse", "[worker][command]") {
  Program program(R"(cd $DLRUN_DIR; echo state > ck; truncate -s 64M ck; echo '{"checkpoint":"ck","step":1}' >&3
    echo '{"result":{"acc":1}}' >&3)");
  const auto result = program.run();
  REQUIRE(result.artifacts.size() == 1);
  const auto path = trial::artifact_path(program.setup.artifacts, result.artifacts[0].sha256);
  CHECK(std::filesystem::file_size(path) == 64 << 20);
  CHECK_NOTHROW(trial::require_sound(path, result.artifacts[0].sha256));
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  CHECK(facts.st_blocks * 512 <= 1 << 20);
}

TEST_CASE("a program that is not there is an error with its name", "[worker][command]") {
  Program program("");
  program.setup.trial["command"] = {"dlrun-no-such-program"};
  CHECK_THROWS_WITH(program.run(), Contains("cannot run 'dlrun-no-such-program'"));
}

// A daemon left its process group by setsid and outlived its trial.
TEST_CASE("what a program leaves in a session of its own ends with it", "[worker][command]") {
  Program program(R"(echo '{"metric":"acc","step":1,"value":1}' >&3
    setsid sh -c 'echo $$; sh -c "sleep 1000; true" & exec sleep 1000' 2>/dev/null &
    setsid setsid sh -c '(setsid sleep 1000 & echo $!) & wait; sleep 1000' &
    while [ ! -s "$DLRUN_DIR/stop" ]; do sleep 0.01; done)");
  const std::string stop = (program.folder.path() / "a1" / "stop").string();
  program.host.stop_when = [&](const FakeHost& host) {
    if (host.lines.size() == 2) write_file(stop, "now", {.durable = false});
    return false;
  };
  CHECK(program.run().outcome == trial::Outcome::completed);
  REQUIRE(program.host.lines.size() == 2);
  for (const std::string& line : program.host.lines) CHECK_FALSE(is_alive(std::stoi(line)));
}

TEST_CASE("a stopped command is asked, then killed with its children", "[worker][command]") {
  Program program(R"(trap '' TERM; sleep 1000 & echo $! ; echo '{"metric":"acc","step":1,"value":1}' >&3
    echo '{"metric":"acc","step":2,"value":1}' >&3; while :; do sleep 1000; done)",
                  2);
  program.host.stop_when = [](const FakeHost& host) { return !host.reports.empty() && !host.lines.empty(); };
  CHECK_THROWS_AS(program.run(), trial::Stopped);
  const int child = std::stoi(program.host.lines.at(0));
  for (int i = 0; i < 30'000 && is_alive(child); ++i) ::usleep(10000);
  CHECK_FALSE(is_alive(child));
}

// Slurm signals all processes of a job: a program that saved and ended at once counted as one that had ended early.
TEST_CASE("a program that has ended before its worker asked it to has not done its piece", "[worker][command]") {
  const std::string code = GENERATE("0", "1");
  Program program(R"(echo $$; echo '{"metric":"acc","step":1,"value":1}' >&3; exit )" + code, 2);
  program.host.stop_when = [](const FakeHost& host) {
    return !host.lines.empty() && !is_alive(std::stoi(host.lines.at(0)));
  };
  CHECK_THROWS_AS(program.run(), trial::Stopped);
}

TEST_CASE("a signal that nobody has taken yet asks a worker to end, too", "[worker][command]") {
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, nullptr);
  ::raise(SIGTERM);
  Program program("echo $$; exit 1");
  int asked = 0;
  program.host.stop_when = [&](const FakeHost& host) {
    return !host.lines.empty() && !is_alive(std::stoi(host.lines.at(0))) && ++asked > 3;
  };
  CHECK_THROWS_AS(program.run(), trial::Stopped);
  int taken = 0;
  ::sigwait(&term, &taken);
  ::pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
}

}  // namespace command_runner_test
