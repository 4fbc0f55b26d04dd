// SPDX-License-Identifier: Apache-2.0
#include "util/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "util/error.hpp"

namespace dlrun {

TemporaryFolder::TemporaryFolder(const std::string& what) {
  std::error_code fault;
  const std::filesystem::path where = std::filesystem::temp_directory_path(fault);
  if (fault)
    throw Error(ErrorKind::outside, "there is no folder for temporary files: " + fault.message(),
                "set TMPDIR to a folder that can be written");
  std::string name = (where / (what + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(ErrorKind::outside, fmt::format("making a folder '{}'", name), "is there room for temporary files?");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code fault;
  std::filesystem::remove_all(path_, fault);
}

}  // namespace dlrun
