// SPDX-License-Identifier: Apache-2.0
// Processes as /proc shows them, also to whoever lacks descriptors.
#include "util/processes.hpp"

#include <unistd.h>

#include <algorithm>

#include "support/few_descriptors.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace processes_test {

using namespace dlrun;

TEST_CASE("processes are listed, or it is said that they cannot be", "[util][processes][descriptors]") {
  const auto is_this = [](const Process& process) { return process.pid == ::getpid(); };
  const auto all = processes();
  REQUIRE(all);
  CHECK(std::count_if(all->begin(), all->end(), is_this) == 1);
  const support::FewDescriptors few;
  CHECK_FALSE(processes());
  CHECK_FALSE(children_of(::getpid()));
}

TEST_CASE("a file is open for writing or not, or nobody can tell", "[util][processes][descriptors]") {
  const support::TempFolder folder;
  const std::string file = folder.path() / "file";
  write_file(file, "");
  CHECK(has_open_for_writing(::getpid(), file) == false);
  const int open = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  CHECK(has_open_for_writing(::getpid(), file) == true);
  ::close(open);
  const support::FewDescriptors few;
  CHECK_FALSE(has_open_for_writing(::getpid(), file));
}

}  // namespace processes_test
