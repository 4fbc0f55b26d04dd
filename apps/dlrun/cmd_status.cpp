// SPDX-License-Identifier: Apache-2.0
// dlrun status [STUDY...]
#include <fmt/format.h>

#include "arguments.hpp"
#include "driver/driver.hpp"
#include "output/console.hpp"
#include "report/readable.hpp"
#include "report/report.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// Quarantined hosts: only the study's driver knows them.
void say_hosts(const std::string& store, const std::string& study, Console& console) {
  const auto reply = driver::ask_running(store, study, {{"command", "status"}});
  if (!reply) return;
  for (const Json& host : reply->value("hosts", Json::array())) {
    if (!host.at("is_aside").get<bool>()) continue;
    console.note(
        fmt::format("{}: host {} is set aside, {:.0f} s more; {} attempts were lost there, {} pieces of these "
                    "succeeded elsewhere",
                    study, host.at("host").get<std::string>(), host.at("seconds").get<double>(),
                    host.at("lost").get<int>(), host.at("proven").get<int>()));
  }
}

int run_status(const Arguments& arguments, Console& console) {
  const report::Readable readable = report::find_readable(arguments.store(), arguments.words());
  console.print(report::Reader(arguments.store(), readable.studies).status());
  for (const std::string& study : readable.studies) {
    try {
      say_hosts(arguments.store(), study, console);
    } catch (const Error& fault) {  // the study's driver is stopped, or stuck
      console.warn(study + ": " + fault.what());
    }
  }
  report::require_none(readable.faults);
  return 0;
}

}  // namespace

Verb status_verb() {
  return {.name = "status",
          .summary = "say how far a study is",
          .arguments = {{.name = "STUDY",
                         .text = "names, or all (default: the study started last)",
                         .kind = Kind::study,
                         .least = 0,
                         .most = -1}},
          .options = {format_option(), store_option()},
          .examples = {{"dlrun status", "the study started last"}, {"dlrun status all --format json", "for scripts"}},
          .run = run_status};
}

}  // namespace dlrun::cli
