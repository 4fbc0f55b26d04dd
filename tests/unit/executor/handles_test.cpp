// SPDX-License-Identifier: Apache-2.0
// Handles of workers outlive the driver that got them.
#include "executor/plugin/handles.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace handles_test {

using namespace dlrun;
using executor::HandleFile;
using executor::Handles;

TEST_CASE("handles come back under the names of their workers", "[executor]") {
  const support::TempFolder dir;
  const HandleFile file(dir.path() / "handles.json", "ssh");
  CHECK(file.read().empty());
  const Handles handles{{"dlrun-s-1-0", "host \"a\"\n7"}, {"dlrun-s-1-1", "\xC3\xA9"}};
  file.write(handles);
  CHECK(file.read() == handles);
  CHECK(HandleFile(dir.path() / "handles.json", "kube").read().empty());
  file.write({});
  CHECK(file.read().empty());
}

TEST_CASE("a damaged file of handles is told", "[executor]") {
  const support::TempFolder dir;
  const HandleFile file(dir.path() / "handles.json", "ssh");
  for (const char* text :
       {"", "{\"plugin\": ", "[]", "{\"plugin\": \"ssh\"}", "{\"plugin\": \"ssh\", \"handles\": [1]}"}) {
    write_file(dir.path() / "handles.json", text, {.durable = false});
    CHECK_THROWS_AS(file.read(), Error);
  }
}

}  // namespace handles_test
