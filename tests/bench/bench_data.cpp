// SPDX-License-Identifier: Apache-2.0
// bench_data SECTION.json FOLDER EPOCHS: seconds of CPU from the files of a data section to its last batch: read and
// decode once, then so many epochs of batches of 128, augmented as the section says. FOLDER is where its paths begin.
// Nothing trains; a sum over every batch is printed, so that none is left out. EPOCHS 0: the files alone.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <ATen/Parallel.h>
#include <ATen/ops/sum.h>

#include "data/batches.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

using namespace dlrun;

namespace {

constexpr std::uint64_t kSeed = 7;

double sum_of(const data::Examples& batch) {
  double sum = 0;
  for (const at::Tensor& input : batch.inputs) sum += at::sum(input).item<double>();
  return sum;
}

double run(const Json& section, const dataset::Locations& where, std::int64_t epochs) {
  const data::Data data(dataset::load(section, where, kSeed));
  data::Batches batches(data, {128, section}, kSeed, 0);
  double sum = double(data.size());
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    batches.begin_epoch(epoch);
    for (std::int64_t i = 0; i < batches.count(); ++i) sum += sum_of(batches.batch(i));
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_data SECTION.json FOLDER EPOCHS\n");
    return 2;
  }
  at::set_num_threads(1);
  try {
    const Json section = dataset::normalised(parse_json(read_file(argv[1]), argv[1]));
    const std::clock_t begin = std::clock();
    const double sum = run(section, {{argv[2]}}, std::atoll(argv[3]));
    std::printf("sum %.3f seconds %.4f\n", sum, double(std::clock() - begin) / CLOCKS_PER_SEC);
  } catch (const Error& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
  return 0;
}
