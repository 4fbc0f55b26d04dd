// SPDX-License-Identifier: Apache-2.0
// What is handed to sbatch, and what it does in a shell.
#include "executor/slurm/script.hpp"

#include <cstdio>
#include <string>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace slurm_script_test {

using namespace dlrun;
using namespace dlrun::executor;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

SlurmOptions options_of(std::vector<std::string> call) {
  SlurmOptions options;
  options.name = "dlrun-digits-0123abcd";
  options.call = std::move(call);
  options.logs = "/data/a store/100%";
  return options;
}

/// What a shell prints that runs the script as the fourth task of job 12.
std::string printed(const SlurmOptions& options, const std::string& before = "") {
  const support::TempFolder folder;
  const auto script = folder.path() / "job.sh";
  write_file(script, batch_script(options), {.durable = false, .mode = 0700});
  const std::string call = before + "SLURM_JOB_ID=15 SLURM_ARRAY_JOB_ID=12 SLURM_ARRAY_TASK_ID=3 " + script.string();
  std::string text(4096, '\0');
  FILE* pipe = ::popen(call.c_str(), "r");
  text.resize(std::fread(text.data(), 1, text.size(), pipe));
  ::pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("a script asks for what the study asks for and no more", "[executor][slurm]") {
  SlurmOptions options = options_of({"/opt/dlrun-worker", "--endpoint", "/data/it's here"});
  const std::string plain = batch_script(options);
  CHECK_THAT(plain, Contains("#SBATCH --job-name=dlrun-digits-0123abcd\n"));
  CHECK_THAT(plain, Contains("#SBATCH --output=\"/data/a store/100%%/slurm-%A_%a.log\"\n"));
  CHECK_THAT(plain, Contains("#SBATCH --signal=B:USR1@120\n"));
  CHECK_THAT(plain, Contains("#SBATCH --requeue\n"));
  for (const char* absent : {"--partition", "--mem", "--gres", "--time", "--account", "--qos"}) {
    CHECK_THAT(plain, !Contains(absent));
  }
  CHECK_THAT(plain, Contains("\nexec '/opt/dlrun-worker' '--endpoint' '/data/it'\\''s here' --job "));

  options.partition = "gpu";
  options.memory = "4G";
  options.gres = "gpu:1";
  options.time = "2:00:00";
  options.cores = 2;
  options.workers_per_job = 3;
  options.arguments = {"--constraint=a100"};
  options.prologue = {"module load cuda"};
  const std::string full = batch_script(options);
  for (const char* line :
       {"--partition=gpu", "--mem=4G", "--gres=gpu:1", "--time=2:00:00", "--cpus-per-task=6", "--constraint=a100"}) {
    CHECK_THAT(full, Contains(std::string("#SBATCH ") + line + "\n"));
  }
  CHECK(full.find("#SBATCH --constraint") < full.find("module load cuda"));
}

TEST_CASE("a job of a program with several hosts has one task on each", "[executor][slurm]") {
  SlurmOptions options = options_of({"/bin/true"});
  CHECK_THAT(batch_script(options), Contains("#SBATCH --ntasks=1\n") && !Contains("--nodes"));
  options.nodes = 3;
  CHECK_THAT(
      batch_script(options),
      Contains("#SBATCH --nodes=3\n#SBATCH --ntasks-per-node=1\n#SBATCH --ntasks=3\n#SBATCH --cpus-per-task=1\n"));
}

TEST_CASE("a worker is told its job by the name that squeue has for it", "[executor][slurm]") {
  SlurmOptions options = options_of({"/bin/echo", "a  b", "$HOME", "it's"});
  CHECK(printed(options) == "a  b $HOME it's --job 12_3\n");
  CHECK(printed(options, "unset X; env -u SLURM_ARRAY_JOB_ID ") == "a  b $HOME it's --job 12_3\n");
  options.workers_per_job = 2;
  CHECK(printed(options) == "a  b $HOME it's --job 12_3\na  b $HOME it's --job 12_3\n");
}

TEST_CASE("workers that share a job share its signals, and the job lasts until the last has ended",
          "[executor][slurm]") {
  const support::TempFolder folder;  // where each says that it is there
  const std::string body = "trap 'echo saved; exit' USR1; touch " + (folder.path() / "$$").string() +
                           "; while sleep 0.05; do [ $(ls " + folder.path().string() +
                           " | wc -l) = 2 ] && kill -USR1 $PPID; done";
  SlurmOptions options = options_of({"/bin/bash", "-c", body});
  options.workers_per_job = 2;
  CHECK(printed(options) == "saved\nsaved\n");
}

// Slurm signals the shell and the workers: the shell handed its SIGTERM on, and a second one ends a worker unsaved.
TEST_CASE("workers of a job that is ended get one SIGTERM", "[executor][slurm]") {
  const support::TempFolder folder;
  const std::string here = folder.path().string();
  const std::string body = "trap 'terms=x$terms' TERM; trap 'noticed=1' USR1; touch " + here + "/$$; while [ $(ls " +
                           here + " | wc -l) -lt 2 ]; do sleep 0.05; done; pids=$(ls -I sent " + here + "); mkdir " +
                           here + "/sent 2>/dev/null && { kill -TERM $pids; sleep 0.3; kill -TERM $PPID; }; " +
                           "while [ -z \"$noticed\" -a \"$terms\" != xx ]; do sleep 0.05; done; echo $terms";
  SlurmOptions options = options_of({"/bin/bash", "-c", body});
  options.workers_per_job = 2;
  CHECK(printed(options) == "x\nx\n");
}

TEST_CASE("what would end a line of options early is refused", "[executor][slurm]") {
  SlurmOptions options = options_of({"/bin/true"});
  options.partition = "a\"\n#SBATCH --uid=0";
  CHECK_THROWS_WITH(batch_script(options), Contains("cannot be handed to sbatch"));
}

}  // namespace slurm_script_test
