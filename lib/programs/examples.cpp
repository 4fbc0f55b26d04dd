// SPDX-License-Identifier: Apache-2.0
#include "programs/examples.hpp"

#include "trial/example_results.hpp"
#include "util/files.hpp"

namespace dlrun::programs {

std::size_t count_examples(const std::filesystem::path& file) {
  return trial::read_examples(read_file(file, kMostExampleBytes)).size();
}

}  // namespace dlrun::programs
