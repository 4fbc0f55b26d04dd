// SPDX-License-Identifier: Apache-2.0
#include "driver/plugin_jobs.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "driver/endpoint.hpp"
#include "driver/jobs.hpp"
#include "driver/workers.hpp"
#include "plugin/found.hpp"
#include "spec/gang_processes.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

std::vector<std::string> known_executors() {
  std::vector<std::string> known{"local", "slurm"};
  for (const plugin::Found* found : plugin::all_of(plugin::Kind::executor)) known.push_back(found->manifest->name);
  return known;
}

const plugin::Found& executor_named(const std::string& name) {
  if (const plugin::Found* found = plugin::find(plugin::Kind::executor, name)) return *found;
  const std::string nearest = nearest_name(name, known_executors());
  throw Error(ErrorKind::usage, fmt::format("there is no executor '{}'", name),
              nearest.empty() ? "local and slurm are; `dlrun plugins` says which plugins are found"
                              : fmt::format("did you mean '{}'?", nearest));
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
  const executor::LocalOptions local = local_options(spec, folder, binary, wake_fd);
  executor::PluginOptions out;
  static_cast<executor::HubOptions&>(out) = static_cast<const executor::HubOptions&>(local);
  out.setup.device = spec.device;
  out.network = network_of_jobs(folder, spec.name, options, jobs.listen);
  out.plugin = jobs.plugin;
  out.options = jobs.options;
  out.name = name_of_jobs(folder, spec.name);
  out.call = {binary.string(), "--endpoint", endpoint_file(folder, spec.name).string()};
  if (!jobs.scratch.empty()) out.call.insert(out.call.end(), {"--scratch", jobs.scratch});
  out.environment = own_variables();
  out.logs = local.logs;
  out.cores = spec::cores_of(spec);
  out.gpus = spec.gpus.value_or(0);
  out.memory_mb = spec.memory_bytes / kMegabyte;
  out.jobs = jobs.jobs;
  out.idle = jobs.idle;
  out.poll = jobs.poll;
  return out;
}

std::string describe(const spec::PluginJobs& jobs) {
  const plugin::Found& found = executor_named(jobs.plugin);
  return fmt::format("the plugin '{}' {} ({}) starts workers", jobs.plugin, found.manifest->version,
                     short_hash(plugin::hash_of(found)));
}

std::optional<std::string> executor_plugin(const spec::StudySpec& spec, const Options& options) {
  const auto jobs = plugin_jobs_of(spec, options);
  return jobs ? std::optional(jobs->plugin) : std::nullopt;
}

}  // namespace dlrun::driver
