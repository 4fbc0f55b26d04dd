// SPDX-License-Identifier: Apache-2.0
#include "driver/jobs.hpp"

#include "driver/endpoint.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver {

namespace {

constexpr double kJobGrace = 1800;  ///< seconds a job's worker waits for its driver: one may be restarted by hand
constexpr const char* kAnywhere = "0.0.0.0";

}  // namespace

std::string name_of_jobs(const std::filesystem::path& folder, const std::string& study) {
  return "dlrun-" + study + "-" + Sha256::hex_of(folder.string() + '\n' + study).substr(0, 8);
}

executor::NetworkOptions network_of_jobs(const std::filesystem::path& folder, const std::string& study,
                                         const Options& options, const std::string& listen) {
  executor::NetworkOptions out =
      network_options(folder, study, options.listen.value_or(host_port(listen.empty() ? kAnywhere : listen)));
  out.grace = kJobGrace;
  return out;
}

}  // namespace dlrun::driver
