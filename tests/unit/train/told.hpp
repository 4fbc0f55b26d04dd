// SPDX-License-Identifier: Apache-2.0
// All that a piece tells and leaves, in lines for golden files: result, reports, curves, log, artifacts and files.
// Times and memory are left out; hashes and the folder's path are replaced by words.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/catch.hpp"
#include "support/close_texts.hpp"
#include "support/golden.hpp"
#include "unit/train/file_sizes.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace dlrun::train {

/// Sixty rows with four numbers, a class of three that follows from them, a number that does, and a group.
inline std::filesystem::path write_table(const std::filesystem::path& folder) {
  const char* const kinds[] = {"red", "green", "blue"};
  std::string csv = "a,b,c,d,kind,size,team\n";
  for (int i = 0; i < 60; ++i) {
    const int a = i * 37 % 101, b = i * 53 % 97, c = i * 29 % 89, d = i * 71 % 83;
    csv += fmt::format("{},{},{},{},{},{},{}\n", a, b, c, d, kinds[(a + b) / 70], 0.03 * a - 0.02 * b + 0.01 * c,
                       (i * 7) % 9);
  }
  const std::filesystem::path path = folder / "table.csv";
  write_file(path, csv, {.durable = false});
  return path;
}

inline Json table_trial(const std::filesystem::path& folder) {
  return {{"kind", "train"},
          {"data",
           {{"op", "csv"},
            {"path", write_table(folder)},
            {"target", "kind"},
            {"drop", {"size", "team"}},
            {"split", {{"train", 0.6}, {"val", 0.2}, {"test", 0.2}}}}},
          {"model",
           {{"nodes",
             {{{"name", "fc"}, {"op", "linear"}, {"out", 6}},
              {{"name", "bn"}, {"op", "batchnorm"}},
              {{"name", "act"}, {"op", "relu"}},
              {{"name", "drop"}, {"op", "dropout"}, {"p", 0.1}},
              {{"name", "head"}, {"op", "linear"}, {"out", "outputs"}, {"role", "head"}}}}}},
          {"optimizer", {{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}}},
          {"schedule", {{"op", "cosine"}}},
          {"epochs", 3},
          {"batch_size", 8}};
}

/// Lines about the pieces of one store.
class Told {
 public:
  explicit Told(const Fixture& fixture) : folder_(fixture.folder.make("").parent_path()), fixture_(fixture) {}

  void title(const std::string& name) { text_ += "= " + name + "\n"; }
  void line(const std::string& line) { text_ += line + "\n"; }
  void lines(const std::string& lines) { text_ += lines; }
  void json(const std::string& name, Json json) {
    support::round_numbers(json);
    line(name + " " + to_text(json));
  }

  void result(const trial::PieceResult& result) {
    Json json = trial::to_json(result);
    json.erase("reports"), json.erase("artifacts");
    this->json("result", std::move(json));
    for (const trial::Report& report : result.reports) this->json("report", trial::to_json(report)["metrics"]);
    for (const trial::Artifact& artifact : result.artifacts) add(artifact);
  }
  void host(const FakeHost& host, const trial::PieceResult* result = nullptr) {
    if (result != nullptr && result->reports != host.reports) line(fmt::format("told {} reports", host.reports.size()));
    for (trial::Report point : host.curve) {
      std::erase_if(point.metrics, [](const auto& m) { return m.name == "samples_per_second" || m.name == "memory"; });
      json("step", trial::to_json(point));
    }
    for (const trial::GangReport& gang : host.gangs) json("gang", trial::to_json(gang));
    for (const std::string& one : host.lines) line("log " + one);
    line(fmt::format("steps {}", host.steps));
  }
  /// Names of the files that lie there.
  void files(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      names.insert(entry.path().lexically_relative(folder).string());
    line("files " + to_text(Json(names)));
  }
  void error(const std::exception& fault) {
    const auto* error = dynamic_cast<const Error*>(&fault);
    line(error == nullptr ? fmt::format("throws {}", fault.what())
                          : fmt::format("error {} {} | {}", error->exit_code(), error->what(), error->hint()));
  }

  /// Without what differs from run to run.
  std::string text() const {
    std::string text = text_;
    support::replace_all(text, folder_.string(), "FOLDER");
    support::replace_all(text, DLRUN_SOURCE_DIR, "SOURCE");
    const std::string before = "artifacts/";  // a folder by the first digits of the hash
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
      if (text.size() > at + 12 && text[at + 12] == '/') text.replace(at + before.size(), 2, "HA");
    return support::without_hashes(text);
  }

 private:
  /// A number for each content, in the order in which they come.
  std::size_t number_of(const std::string& sha256) {
    return contents_.try_emplace(sha256, contents_.size()).first->second;
  }

  void add(const trial::Artifact& artifact) {
    const std::size_t before = contents_.size(), number = number_of(artifact.sha256);
    line(fmt::format("artifact {} of {}: file {}", artifact.role, artifact.step, number));
    if (number < before) return;
    const SafeTensors file(fetch(fixture_.setup.artifacts, artifact.sha256), "an artifact");
    for (const auto& [name, sizes] : sizes_of(file)) line("  " + name + " " + text_of(sizes));
    for (const auto& [name, text] : file.metadata()) {
      if (name != "state" && name != "sha256") line("  " + name + " = " + text);
    }
  }

  std::filesystem::path folder_;
  const Fixture& fixture_;
  std::string text_;
  std::map<std::string, std::size_t> contents_;
};

/// Lines of a case, whatever is thrown in it.
template <class Run>
void tell(Told& told, const std::string& name, const Run& run) {
  told.title(name);
  try {
    run();
  } catch (const trial::Stopped&) {
    told.line("stopped");
  } catch (const std::exception& fault) {
    told.error(fault);
  }
}

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string recorded = support::golden(DLRUN_SOURCE_DIR "/tests/golden/trainings/" + name + ".txt", text);
  const std::string found = support::difference(recorded, text);
  INFO(found);
  CHECK(found.empty());
}

}  // namespace dlrun::train
