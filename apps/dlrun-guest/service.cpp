// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun {

std::unique_ptr<Service> make_service(const Opened& opened) {
  switch (opened.manifest.kind) {
    case plugin::Kind::sampler: return make_sampler_service(opened);
    case plugin::Kind::pruner: return make_pruner_service(opened);
    case plugin::Kind::exporter: return make_exporter_service(opened);
    case plugin::Kind::executor: return make_executor_service(opened);
    default:
      throw Error(ErrorKind::usage,
                  fmt::format("a {} does not run in a process of its own", plugin::name_of(opened.manifest.kind)));
  }
}

}  // namespace dlrun
