// SPDX-License-Identifier: Apache-2.0
#include "driver/plugin_jobs.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "driver/jobs.hpp"
#include "plugin/found.hpp"
#include "spec/gang_processes.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

const plugin::Found& executor_named(const std::string& name) {
  return plugin::named(plugin::Kind::executor, name, {"local", "slurm"});
}

void require_no_key(const plugin::Manifest& manifest) {
  for (const options::Key& key : manifest.keys) {
    if (key.required)
      throw Error(ErrorKind::usage, fmt::format("executor '{}' needs the key '{}'", manifest.name, key.name),
                  fmt::format("write executor: {{{}: {{{}: …}}}} into the study", manifest.name, key.name));
  }
}

/// Variables of dlrun's own, such as where its plugins are.
std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> own;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t sign = text.find('=');
    if (text.starts_with("DLRUN_") && sign != std::string_view::npos)
      own[std::string(text.substr(0, sign))] = text.substr(sign + 1);
  }
  return own;
}

}  // namespace

std::optional<spec::PluginJobs> plugin_jobs_of(const spec::StudySpec& spec, const Options& options) {
  if (options.executor.empty()) return spec.plugin_jobs;
  if (options.executor == "local" || options.executor == "slurm") return std::nullopt;
  if (spec.plugin_jobs && spec.plugin_jobs->plugin == options.executor) return spec.plugin_jobs;
  require_no_key(*executor_named(options.executor).manifest);
  return spec::PluginJobs{.plugin = options.executor};
}

executor::PluginOptions plugin_options(const spec::StudySpec& spec, const spec::PluginJobs& jobs,
                                       const std::filesystem::path& folder, const std::filesystem::path& binary,
                                       const Options& options, int wake_fd) {
  executor::PluginOptions out;
  fill_jobs(out, {spec, folder, binary, options, jobs.listen, wake_fd});
  out.plugin = jobs.plugin;
  out.options = jobs.options;
  if (!jobs.scratch.empty()) out.call.insert(out.call.end(), {"--scratch", jobs.scratch});
  out.environment = own_variables();
  out.cores = spec::cores_of(spec);
  out.gpus = spec.gpus.value_or(0);
  out.memory_mb = spec.memory_bytes / kMegabyte;
  out.jobs = jobs.jobs;
  out.idle = jobs.idle;
  out.poll = jobs.poll;
  return out;
}

storage::Executor recorded(const spec::PluginJobs& jobs) {
  const plugin::Found& found = executor_named(jobs.plugin);
  return {jobs.plugin, found.manifest->version, plugin::hash_of(found)};
}

std::string describe(const spec::PluginJobs& jobs) {
  const storage::Executor plugin = recorded(jobs);
  return fmt::format("the plugin '{}' {} ({}) starts workers", plugin.name, plugin.version, short_hash(plugin.sha256));
}

std::optional<std::string> executor_plugin(const spec::StudySpec& spec, const Options& options) {
  const auto jobs = plugin_jobs_of(spec, options);
  return jobs ? std::optional(jobs->plugin) : std::nullopt;
}

}  // namespace dlrun::driver
