// SPDX-License-Identifier: Apache-2.0
#include "driver/jobs.hpp"

#include "driver/endpoint.hpp"
#include "driver/workers.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

constexpr double kJobGrace = 1800;  ///< seconds a job's worker waits for its driver: one may be restarted by hand
constexpr const char* kAnywhere = "0.0.0.0";

/// Name of the workers or jobs of one study in one store, unlike those of all others.
std::string name_of_jobs(const std::filesystem::path& folder, const std::string& study) {
  return "dlrun-" + study + "-" + Sha256::hex_of(folder.string() + '\n' + study).substr(0, 8);
}

executor::NetworkOptions network_of_jobs(const JobsWish& wish) {
  const HostPort address = wish.options.listen.value_or(host_port(wish.listen.empty() ? kAnywhere : wish.listen));
  executor::NetworkOptions out = network_options(wish.folder, wish.spec.name, address);
  out.grace = kJobGrace;
  return out;
}

}  // namespace

void fill_jobs(executor::JobOptions& out, const JobsWish& wish) {
  const executor::LocalOptions local = local_options(wish.spec, wish.folder, wish.binary, wish.wake_fd);
  static_cast<executor::HubOptions&>(out) = static_cast<const executor::HubOptions&>(local);
  out.setup.device = wish.spec.device;
  out.network = network_of_jobs(wish);
  out.name = name_of_jobs(wish.folder, wish.spec.name);
  out.call = {wish.binary.string(), "--endpoint", endpoint_file(wish.folder, wish.spec.name).string()};
  out.logs = local.logs;
}

}  // namespace dlrun::driver
