// SPDX-License-Identifier: Apache-2.0
// Names from files end up in messages, JSON and SQL, so they must be valid UTF-8.
#include "util/utf8.hpp"

#include <fmt/format.h>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

void require_utf8(std::string_view text, const std::string& what, const std::string& file) {
  if (is_utf8(text)) return;
  throw DataError("path", fmt::format("{} is not valid UTF-8", what), "save the file as UTF-8", file);
}

}  // namespace dlrun::dataset
