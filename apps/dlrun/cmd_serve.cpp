// SPDX-License-Identifier: Apache-2.0
// dlrun serve [STUDY...]: reports as web pages that follow running studies.
#include <fmt/format.h>

#include "arguments.hpp"
#include "output/console.hpp"
#include "plotly.hpp"
#include "report/selectors.hpp"
#include "util/error.hpp"
#include "verbs.hpp"
#include "web/server.hpp"

namespace dlrun::cli {

namespace {

constexpr std::int64_t kMostPort = 65535;

std::uint16_t port_of(const Arguments& arguments) {
  const std::int64_t port = arguments.number("port", 0, 0);
  if (port > kMostPort) throw Error(ErrorKind::usage, fmt::format("--port takes at most {}, not {}", kMostPort, port));
  return std::uint16_t(port);
}

/// Names to show, none for all of the store.
std::vector<std::string> studies_of(const Arguments& arguments) {
  if (arguments.words().empty()) return {};
  return report::find_studies(arguments.store(), arguments.words());
}

int run_serve(const Arguments& arguments, Console& console) {
  const std::vector<std::string> studies = studies_of(arguments);
  web::Server server(port_of(arguments));
  const std::string place = fmt::format("127.0.0.1:{}", server.port());
  web::SiteOptions options{.store = arguments.store(),
                           .studies = studies,
                           .plotly = plotly_text(),
                           .token = web::new_token(),
                           .hosts = {place, fmt::format("localhost:{}", server.port())}};
  if (options.plotly.empty())
    console.warn(fmt::format("the pages have no plots: plotly.js is not installed ({})", kPlotlyHint));
  const std::string path = studies.size() == 1 ? "study/" + studies[0] : "";
  console.data(fmt::format("http://{}/{}/{}\n", place, options.token, path));
  console.note("open this address in a browser of this machine; whoever has it can read the reports. Ctrl-C ends it");
  web::Site site(std::move(options));
  server.serve([&](const web::Request& request) { return site.answer(request); });
  return 0;
}

}  // namespace

Verb serve_verb() {
  return {.name = "serve",
          .summary = "show reports as web pages that follow running studies",
          .text =
              "Prints the address of a page on this machine, with the report of `dlrun report --html`; while a study "
              "runs, its page follows. The address has a secret part that is made anew each time. The pages can only "
              "be read, from this machine alone (to look from another one: ssh -L PORT:127.0.0.1:PORT). The server "
              "ends with Ctrl-C or with its terminal.",
          .arguments = {{.name = "STUDY",
                         .text = "the studies to show (default: all of the store)",
                         .kind = Kind::study,
                         .least = 0,
                         .most = -1}},
          .options = {{.name = "port", .value = "N", .text = "port to listen on (default: any that is free)"},
                      store_option()},
          .examples = {{"dlrun serve", "all studies of ./dlrun-store"},
                       {"dlrun serve digits --port 8080", "one study, at a port of your choice"}},
          .run = run_serve};
}

}  // namespace dlrun::cli
