// SPDX-License-Identifier: Apache-2.0
// Settings of a study that reach the workers of a plugin and of Slurm.
#include "driver/plugin_jobs.hpp"

#include "around.hpp"
#include "driver/slurm.hpp"
#include "executor/slurm/script.hpp"
#include "support/catch.hpp"

namespace plugin_jobs_test {

using namespace dlrun;
using Words = std::vector<std::string>;

namespace {

struct Around {
  support::TempFolder folder;
  spec::StudySpec spec = support::small_spec(folder);
  driver::Options options;

  executor::PluginOptions of(const spec::PluginJobs& jobs) {
    return driver::plugin_options(spec, jobs, folder.path(), "/opt/dlrun-worker", options, -1);
  }
  executor::SlurmOptions of(const spec::Slurm& slurm) {
    return driver::slurm_options(spec, slurm, folder.path(), "/opt/dlrun-worker", options, -1);
  }
  Words call() const {
    return {"/opt/dlrun-worker", "--endpoint", (folder.path() / "studies/small.endpoint").string()};
  }
};

}  // namespace

TEST_CASE("a worker of a plugin works in the folder of `scratch`, else in the store", "[driver][plugin]") {
  Around f;
  CHECK(f.of(spec::PluginJobs{.plugin = "ssh"}).call == f.call());
  Words with = f.call();
  with.insert(with.end(), {"--scratch", "/local/a folder"});
  CHECK(f.of(spec::PluginJobs{.plugin = "ssh", .scratch = "/local/a folder"}).call == with);
}

TEST_CASE("the pool of a plugin has the study's limits", "[driver][plugin]") {
  Around f;
  const auto usual = f.of(spec::PluginJobs{.plugin = "ssh"});
  CHECK((usual.jobs == 0 && usual.idle == 300 && usual.poll == 5));
  const auto asked = f.of(spec::PluginJobs{.plugin = "ssh", .jobs = 3, .idle = 7.5, .poll = 0.25});
  CHECK((asked.jobs == 3 && asked.idle == 7.5 && asked.poll == 0.25));
  CHECK(asked.plugin == "ssh");
  CHECK(asked.network->grace == 1800);
}

TEST_CASE("workers of a plugin have dlrun's own variables", "[driver][plugin]") {
  Around f;
  ::setenv("DLRUN_SOMETHING", "a=b", 1);
  ::setenv("NO_DLRUN", "c", 1);
  const auto environment = f.of(spec::PluginJobs{.plugin = "ssh"}).environment;
  ::unsetenv("DLRUN_SOMETHING");
  ::unsetenv("NO_DLRUN");
  CHECK(environment.at("DLRUN_SOMETHING") == "a=b");
  CHECK_FALSE(environment.contains("NO_DLRUN"));
}

TEST_CASE("a job of Slurm works in the folder of `scratch`, and has the study's limits", "[driver][slurm]") {
  Around f;
  spec::Slurm slurm;
  CHECK(f.of(slurm).call == f.call());
  CHECK_THAT(executor::batch_script(f.of(slurm)), !Contains("--scratch"));
  CHECK(f.of(slurm).idle == 300);
  slurm.scratch = "$TMPDIR";
  slurm.idle = 7.5;
  CHECK_THAT(executor::batch_script(f.of(slurm)), Contains(" --scratch \"$TMPDIR\" "));
  CHECK(f.of(slurm).idle == 7.5);
}

TEST_CASE("an executor that a person names comes before the study's", "[driver][slurm]") {
  Around f;
  CHECK_FALSE(driver::slurm_of(f.spec, f.options));
  f.spec.slurm = spec::Slurm{.partition = "long"};
  CHECK(driver::slurm_of(f.spec, f.options)->partition == "long");
  for (const char* other : {"local", "zebra"}) {
    f.options.executor = other;
    CHECK_FALSE(driver::slurm_of(f.spec, f.options));
  }
  f.options.executor = "slurm";
  CHECK(driver::slurm_of(f.spec, f.options)->partition == "long");
  f.spec.slurm.reset();
  CHECK(driver::slurm_of(f.spec, f.options)->partition.empty());
}

TEST_CASE("a job of Slurm asks for what the study says", "[driver][slurm]") {
  Around f;
  const executor::SlurmOptions out = f.of(spec::Slurm{.partition = "long",
                                                      .account = "group",
                                                      .qos = "high",
                                                      .time = "1:00:00",
                                                      .mem = "12G",
                                                      .gres = "gpu:2",
                                                      .cpus = 6,
                                                      .workers_per_job = 3,
                                                      .jobs = 4,
                                                      .notice = 90,
                                                      .poll = 0.5,
                                                      .args = {"--exclusive"},
                                                      .prologue = {"module load x"}});
  CHECK((out.partition == "long" && out.account == "group" && out.qos == "high" && out.time == "1:00:00"));
  CHECK((out.memory == "12G" && out.gres == "gpu:2" && out.cores == 6 && out.workers_per_job == 3 && out.jobs == 4));
  CHECK((out.notice == 90 && out.poll == 0.5 && out.prologue == Words{"module load x"}));
  CHECK(out.arguments == Words{"--exclusive"});
  CHECK_THAT(executor::batch_script(out), Contains("#SBATCH --mem=12G"));
  CHECK(out.logs == f.folder.path() / "studies/small/workers");
  CHECK(out.setup.artifacts == f.folder.path() / "artifacts");
}

}  // namespace plugin_jobs_test
