// SPDX-License-Identifier: Apache-2.0
// fuzz_dataset READER SECONDS FOLDER: damages the reader's files until the time is over. The file under test lies in
// FOLDER, so that it is still there after a crash or a hang. Without arguments: the names of the readers.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>

#include "dataset/fresh.hpp"
#include "dataset/images/decode.hpp"
#include "fuzz.hpp"
#include "support/sanitized.hpp"

using namespace dlrun;
using namespace dlrun::fuzz;

namespace {

constexpr unsigned kHang = 20;  ///< seconds for one input

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Tally {
  long loaded = 0, refused = 0;
};

void read_fresh(const Reader& reader, const std::filesystem::path& folder) {
  const Json data = dataset::located(parse_json(reader.section, "section"), {{folder}});
  dataset::FreshOptions options{.needs_targets = reader.needs_targets};
  for (const auto& [key, name] : reader.fresh) options.files[key] = (folder / name).string();
  const std::unique_ptr<dataset::FreshStream> stream = dataset::open_fresh(data, options, 7);
  while (const std::optional<dataset::Fresh> part = stream->next()) check_promises(part->dataset, true);
}

/// Whether it is one that is damaged.
bool is_tried(const Reader& reader, const std::string& name) {
  return reader.fresh.empty() ||
         std::any_of(reader.fresh.begin(), reader.fresh.end(), [&](const auto& file) { return file.second == name; });
}

/// One input. Anything but a data set or a DataError leaves as an exception.
void run_one(const Reader& reader, const std::string& bytes, const std::filesystem::path& folder, Tally& tally) {
  ::alarm(kHang);
  try {
    if (reader.call) {
      reader.call(bytes);
    } else if (!reader.fresh.empty()) {
      read_fresh(reader, folder);
    } else {
      check_promises(dataset::load(parse_json(reader.section, "section"), {{folder}}, 7));
    }
    ++tally.loaded;
  } catch (const dataset::DataError&) {
    ++tally.refused;
  } catch (const dataset::ImageFault&) {
    ++tally.refused;
  }
  ::alarm(0);
}

Tally run(const Reader& reader, double seconds, const std::filesystem::path& folder) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  Tally tally;
  for (const auto& [name, bytes] : reader.files) write(folder / name, bytes);
  run_one(reader, reader.files[0].second, folder, tally);
  if (tally.loaded != 1) throw std::logic_error("the good files are refused");
  for (long i = 0; std::chrono::steady_clock::now() < end; ++i) {
    RandomStream random(1, {"fuzz", reader.name, std::to_string(i)});
    const auto& [name, good] = reader.files[random.below(reader.files.size())];
    if (!is_tried(reader, name)) continue;
    const std::string bytes = damaged(good, reader.files[random.below(reader.files.size())].second, random);
    write(folder / name, bytes);
    run_one(reader, bytes, folder, tally);
    write(folder / name, good);
  }
  return tally;
}

/// Without a sanitizer, which has its own limit: more memory than that is a std::bad_alloc.
void limit_memory() {
  const rlimit most{rlim_t(4) << 30, rlim_t(4) << 30};
  if (!kIsSanitized) ::setrlimit(RLIMIT_AS, &most);
}

}  // namespace

int main(int count, char** arguments) {
  for (const Reader& reader : readers()) {
    if (count < 4) {
      std::puts(reader.name.c_str());
    } else if (reader.name == arguments[1]) {
      limit_memory();
      try {
        const Tally tally = run(reader, std::stod(arguments[2]), arguments[3]);
        std::printf("%-20s %8ld loaded, %8ld refused\n", reader.name.c_str(), tally.loaded, tally.refused);
        return tally.refused > 0 ? 0 : 1;
      } catch (const std::exception& fault) {
        std::printf("%-20s FAILED: %s\n", reader.name.c_str(), fault.what());
        return 1;
      }
    }
  }
  return count < 4 ? 0 : 2;
}
