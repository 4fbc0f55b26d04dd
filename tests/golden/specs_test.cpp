// SPDX-License-Identifier: Apache-2.0
// Broken studies, and the exact message each gets: specs/NAME.yaml beside specs/NAME.expected. A study may begin with
// comments that say how it is read: `# set: a.b=c`, `# env: NAME=value`. DLRUN_APPROVE=1 writes the messages anew; read
// the difference before it is committed.
#include <ctime>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "short_copy.hpp"
#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/sanitized.hpp"
#include "util/files.hpp"

namespace specs_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

constexpr double kMostSeconds = kIsSanitized ? 2 : 0.1;  // of processor time, for one study

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// What one `# word: value` line at the top says.
std::vector<std::string> directives(const std::string& text, const std::string& word) {
  std::vector<std::string> out;
  const std::string start = "# " + word + ": ";
  for (std::size_t at = 0; text.compare(at, 2, "# ") == 0;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, start.size(), start) == 0)
      out.push_back(text.substr(at + start.size(), end - at - start.size()));
    at = std::min(end + 1, text.size());
  }
  return out;
}

/// All that a person would see, with this machine's folders left out.
std::string message_of(const fs::path& file) {
  const std::string text = read_file(file);
  for (const std::string& pair : directives(text, "env")) {
    ::setenv(pair.substr(0, pair.find('=')).c_str(), pair.substr(pair.find('=') + 1).c_str(), 1);
  }
  std::string out;
  try {
    std::vector<spec::Warning> warnings;
    (void)spec::read({file.filename(), directives(text, "set"), {}, {"pieces"}}, &warnings);
    for (const spec::Warning& warning : warnings) out += warning.text;
    out += "no fault\n";
  } catch (const spec::SpecError& fault) {
    CHECK(fault.count() > 0);
    CHECK(fault.exit_code() == 2);
    out = fault.what();
  }
  support::replace_all(out, fs::current_path().string(), "SPECS");
  return out;
}

std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t'; });
}

}  // namespace

TEST_CASE("a broken study gets exactly the message that stands beside it, within 100 ms", "[golden][specs]") {
  const support::ShortCopy copy(DLRUN_SPECS);
  int count = 0;
  for (const fs::path& file : yaml_files(DLRUN_SPECS)) {
    INFO(file.filename().string());
    const double start = processor_seconds();
    const std::string message = message_of(file);
    const double seconds = processor_seconds() - start;
    const fs::path expected = fs::path(file).replace_extension(".expected");
    CHECK(support::golden(expected, message) == message);
    CHECK(is_printable(message));
    CHECK(seconds < kMostSeconds);
    CHECK(((message == "no fault\n" || message.find("warning:") != std::string::npos) ==
           file.filename().string().starts_with("fine-")));
    ++count;
  }
  CHECK(count >= 150);
}

namespace {

/// The plan of an ablation behind its warnings, or its faults.
std::string plan_of(const fs::path& file) {
  std::string out;
  try {
    std::vector<spec::Warning> warnings;
    const spec::StudySpec study = spec::read({.file = file, .ablation = spec::Ablation::allowed}, &warnings);
    for (const spec::Warning& warning : warnings) out += warning.text;
    out += study.json.at("derived").at("ablation").dump(1) + "\n";
  } catch (const spec::SpecError& fault) {
    out = fault.what();
  }
  return out;
}

}  // namespace

TEST_CASE("every ablation gets exactly the plan, or the message, that stands beside it", "[golden][specs]") {
  const fs::path place = fs::path(DLRUN_SPECS).parent_path() / "ablations";
  const support::ShortCopy copy(place);
  int count = 0;
  for (const fs::path& file : yaml_files(place)) {
    INFO(file.filename().string());
    std::string plan = plan_of(file.filename());
    support::replace_all(plan, fs::current_path().string(), "HERE");
    const fs::path expected = fs::path(file).replace_extension(".expected");
    CHECK(support::golden(expected, plan) == plan);
    ++count;
  }
  CHECK(count >= 50);
}

}  // namespace specs_test
