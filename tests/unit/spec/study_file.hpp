// SPDX-License-Identifier: Apache-2.0
// A study in a folder of its own, with a small table beside it.
#pragma once
#include <unistd.h>

#include <cstdlib>

#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace dlrun::spec {

struct StudyFile {
  std::filesystem::path folder;

  explicit StudyFile(const std::string& text, const std::string& name = "a") {
    folder = std::filesystem::temp_directory_path() / ("dlrun-spec-" + name + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    write("study.yaml", text);
    std::string table = "width,colour,kind\n";
    const char* kinds[] = {"oak", "elm"};
    for (int i = 0; i < 100; ++i) {
      table += std::to_string(i % 7) + (i % 3 == 0 ? ",red," : ",blue,") + kinds[i % 2] + "\n";
    }
    write("trees.csv", table);
  }
  ~StudyFile() { std::filesystem::remove_all(folder); }
  StudyFile(const StudyFile&) = delete;

  void write(const std::string& name, const std::string& text) const {
    write_file(folder / name, text, {.durable = false});
  }
  StudySpec read(std::vector<std::string> sets = {}) const {
    return spec::read({folder / "study.yaml", std::move(sets), {}, {folder}});
  }
  /// One behind the other.
  std::string warnings() const {
    std::vector<Warning> found;
    (void)spec::read({folder / "study.yaml", {}, {}, {folder}}, &found);
    std::string text;
    for (const Warning& warning : found) text += warning.text;
    return text;
  }
  std::string errors(std::vector<std::string> sets = {}) const {
    try {
      (void)read(std::move(sets));
      return {};
    } catch (const SpecError& fault) {
      return fault.what();
    }
  }
};

inline const char* const kTrees = R"(study: trees
objective: {metric: val.accuracy}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-4, high: 1e-1, scale: log}
  width: {at: model.nodes.fc1.out, type: int, low: 8, high: 32, step: 8}
trial:
  data: {op: csv, path: trees.csv, target: kind}
  model:
    nodes:
      - {name: fc1, op: linear, out: 8}
      - {name: act1, op: relu}
      - {name: head, op: linear, out: classes, role: head}
)";

inline const char* const kBranin = R"(study: branin
objective: {metric: value}
space:
  x1: {type: float, low: -5, high: 10}
  x2: {type: float, low: 0, high: 15}
trial: {kind: function, function: branin}
)";

}  // namespace dlrun::spec
