// SPDX-License-Identifier: Apache-2.0
// Studies that nobody wrote: the corpus with lines lost, doubled and joined and words replaced. Each ends in a list of
// faults or a study, whatever is wrong with it, and never in another exception.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/random.hpp"

namespace mutants_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// The value after a colon, or an item, becomes something else.
void replace_value(std::string& line, RandomStream& random) {
  static const Lines values = {"null", "[]", "{}", "-1",  "0",      "1e300", "text", "[[1]]", "{a: 1}",
                               "~",    "''", "3",  "1.5", "[1, a]", "true",  "010",  ".nan",  "{op: x}"};
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if ((line[i] == ':' || line[i] == ',' || line[i] == '[') && line[i + 1] != ',') places.push_back(i + 1);
  }
  if (places.empty()) return;
  const std::size_t from = places[random.below(places.size())];
  const std::size_t end = std::min(line.find_first_of(",}]", from), line.size());
  line.replace(from, end - from, " " + values[random.below(values.size())]);
}

std::string mutant(const std::string& text, RandomStream& random) {
  Lines lines = lines_of(text);
  for (std::uint64_t count = 1 + random.below(3); count > 0 && !lines.empty(); --count) {
    const std::size_t i = random.below(lines.size());
    switch (random.below(5)) {
      case 0: lines.erase(lines.begin() + std::ptrdiff_t(i)); break;
      case 1: lines.insert(lines.begin() + std::ptrdiff_t(i), lines[random.below(lines.size())]); break;
      case 2: lines[i] = lines[i].substr(random.below(lines[i].size() + 1)); break;
      default: replace_value(lines[i], random);
    }
  }
  return joined(lines);
}

std::vector<std::string> small_studies() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(DLRUN_SPECS)) {
    const bool is_small = entry.path().extension() == ".yaml" && entry.file_size() < 1500;
    if (is_small) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) out.push_back(read_file(file));
  return out;
}

}  // namespace

TEST_CASE("a study damaged in any way gets faults, never another exception", "[golden][mutants]") {
  const fs::path folder = fs::temp_directory_path() / ("dlrun-mutants-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  fs::copy(fs::path(DLRUN_SPECS) / "data", folder / "data", fs::copy_options::recursive);
  fs::copy(fs::path(DLRUN_SPECS) / "pieces", folder / "pieces", fs::copy_options::recursive);
  const std::vector<std::string> studies = small_studies();
  RandomStream random(1, {"mutants"});
  int whole = 0;
  constexpr int kMutants = 4000;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutant(studies[std::size_t(i) % studies.size()], random);
    write_file(folder / "study.yaml", text, {.durable = false});
    INFO(text);
    try {
      (void)spec::read({folder / "study.yaml", {}, {}, {folder / "pieces"}});
      ++whole;
    } catch (const spec::SpecError&) {
    } catch (const std::exception& fault) {
      FAIL_CHECK(fault.what());
    }
  }
  CHECK(whole < kMutants);
  fs::remove_all(folder);
}

}  // namespace mutants_test
