// SPDX-License-Identifier: Apache-2.0
// Studies of a store of which some are damaged: the others can be read all the same.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "util/error.hpp"

namespace dlrun::report {

struct OpenedStudy;

/// Opens each study and calls `read` with it. @return the faults of those that cannot be read
std::vector<Error> read_each(const std::filesystem::path& store, const std::vector<std::string>& studies,
                             const std::function<void(const OpenedStudy&)>& read);

struct Readable {
  std::vector<std::string> studies;
  std::vector<Error> faults;  ///< faults of the other ones
};

/// Studies of several that can be read. A single one is not looked at: whoever reads it will see.
Readable readable_of(const std::filesystem::path& store, const std::vector<std::string>& studies);

/// Studies of these words, as find_studies() finds them, that can be read. @throws likewise
Readable find_readable(const std::filesystem::path& store, const std::vector<std::string>& words);

/// @throws Error that names all the faults, of the kind of the first, if there are any
void require_none(const std::vector<Error>& faults);

/// The faults as a table.
Table faults_table(const std::vector<Error>& faults);

}  // namespace dlrun::report
