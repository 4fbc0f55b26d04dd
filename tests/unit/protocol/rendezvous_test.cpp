// SPDX-License-Identifier: Apache-2.0
#include "protocol/rendezvous.hpp"

#include <atomic>
#include <map>
#include <thread>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace rendezvous_test {

using namespace dlrun;
using namespace dlrun::protocol;

namespace {

/// "there", "gone", or what is wrong with it.
std::string look(const std::filesystem::path& file) {
  try {
    return read_rendezvous(file).port == 7 ? "there" : "another";
  } catch (const Error& fault) {
    return fault.kind() == ErrorKind::outside ? "gone" : fault.what();
  }
}

}  // namespace

// A worker whose driver ends reads the file at the moment when that takes it away: it must go on trying, not end.
TEST_CASE("an endpoint that comes and goes is there or gone, never a fault", "[protocol]") {
  const support::TempFolder folder;
  const std::filesystem::path file = folder / "s.endpoint";
  Rendezvous place{.study = "s", .addresses = {"127.0.0.1"}, .port = 7, .key = "k", .file = file.string()};
  const std::filesystem::path away = folder / "away";
  write_file(file, to_text(to_json(place)), {.durable = false});
  std::atomic<bool> is_over = false;
  std::thread drivers([&] {
    while (!is_over) {
      std::filesystem::rename(file, away);
      std::filesystem::rename(away, file);
    }
  });
  std::map<std::string, int> seen;
  for (int i = 0; i < 20000; ++i) ++seen[look(file)];
  is_over = true;
  drivers.join();
  seen.erase("there");
  seen.erase("gone");
  CHECK(seen == std::map<std::string, int>());
}

// The store of a driver whose machine is away by the network: its worker died of an exception instead of waiting.
TEST_CASE("an endpoint that cannot be looked for is gone", "[protocol]") {
  const support::TempFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  CHECK(look(folder / "loop" / "s.endpoint") == "gone");
}

}  // namespace rendezvous_test
