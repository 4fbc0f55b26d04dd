// SPDX-License-Identifier: Apache-2.0
// A study file of any contents: it is refused with all its faults, or its normal form is a study of the same hash.
#include <unistd.h>

#include "spec/study_spec.hpp"
#include "target.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

using namespace dlrun;
using namespace dlrun::fuzz;

namespace {

/// Enough for a study to be trained on.
std::string table() {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 7 % 11) + (i % 2 ? ",no\n" : ",yes\n");
  return text;
}

/// A file of this process, beside a table `d.csv`; nothing else that a study may name is there.
struct StudyFile {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("dlrun-fuzz-" + std::to_string(::getpid()));
  std::filesystem::path path = folder / "study.yaml";
  StudyFile() {
    std::filesystem::create_directories(folder);
    write_file(folder / "d.csv", table());
  }
  ~StudyFile() {
    std::error_code none;
    std::filesystem::remove_all(folder, none);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const StudyFile file;
  write_file(file.path, text_of(bytes, size), {.durable = false});
  try {
    spec::Source source{.file = file.path, .config_folders = {DLRUN_SOURCE_DIR "/configs"}};
    source.ablation = spec::Ablation::allowed;
    const spec::StudySpec study = spec::read(source);
    require(spec::from_json(study.json, study.text).hash == study.hash, "the normal form is the study");
  } catch (const Error& fault) {
    require(fault.kind() == ErrorKind::usage, "a study file is its writer's fault");
  }
  return 0;
}
