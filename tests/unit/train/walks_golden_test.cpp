// SPDX-License-Identifier: Apache-2.0
// Numbers of every walk as they were: metrics of each epoch, rates and norms of steps, and the checkpoint of the end. A
// change of any rule of a training is seen here, also one that is the same in every run. Whoever means to change
// numbers writes the files anew (DLRUN_APPROVE=1) and says so in the changelog. Other suites compare with PyTorch.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "support/close_texts.hpp"
#include "support/golden.hpp"
#include "unit/train/file_sizes.hpp"
#include "unit/train/walk_cases.hpp"
#include "unit/train/walk_variations.hpp"

namespace walks_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Lines about a walk. What is a text or a count is not written again if the walk above has the same.
class Lines {
 public:
  void title(const std::string& text) { text_ += "= " + text + "\n"; }
  void numbers(const std::string& name, const std::string& line) { text_ += name + line + "\n"; }
  void words(const std::string& name, const std::string& line) {
    const auto [found, is_new] = last_.try_emplace(name, line);
    if (!is_new && found->second == line) return;
    found->second = line;
    numbers(name, line);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, std::string> last_;
};

void write_sizes(const SafeTensors& file, Lines& lines) {
  for (const auto& [name, sizes] : sizes_of(file)) lines.numbers(name, " " + text_of(sizes));
}

/// The model's; the optimizer and averages have tensors for each of them, which are counted above.
void write_shapes(const SafeTensors& file, Lines& lines) {
  std::string line;
  for (const TensorView& tensor : file.tensors()) {
    if (tensor.name.starts_with("model."))
      line += fmt::format(" {} {}[{}]", tensor.name.substr(6), tensor.dtype, fmt::join(tensor.shape, ","));
  }
  lines.words("tensors", line);
}

/// The state's text without the reports, which stand above, and what names the settings.
void write_texts(const SafeTensors& file, Lines& lines) {
  for (const auto& [name, text] : file.metadata()) {
    if (name != "sha256" && name != "state") lines.words(name, " " + text);
  }
  Json state = parse_json(file.metadata().at("state"), "the state");
  support::round_numbers(state);
  if (state.contains("best")) lines.numbers("best", " " + to_text(state["best"]));
  for (const char* name : {"reports", "fingerprint", "best"}) state.erase(name);
  std::string text = support::without_hashes(to_text(state));
  support::replace_all(text, R"("donor":"HASH",)", "");
  lines.words("state", " " + text);
}

std::string joined(const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0, count = 1; i < numbers.size(); ++i, ++count) {
    const bool is_repeated = i + 1 < numbers.size() && numbers[i + 1] == numbers[i];
    if (is_repeated) continue;
    text += count > 1 ? fmt::format(" {:.5g} x{}", numbers[i], count) : fmt::format(" {:.5g}", numbers[i]);
    count = 0;
  }
  return text;
}

/// Numbers of the steps by name: rates of all, losses and norms of the last one of each epoch.
class Curves {
 public:
  void note(const Training& training) {
    const StepFacts& facts = training.last_step();
    words_["lr"].push_back(facts.lr);
    if (facts.gain) numbers_["gain"].push_back(*facts.gain);
    if (facts.loss_scale != 0) words_["scale"].push_back(facts.loss_scale);
    if (training.has_batch()) return;
    numbers_["loss"].push_back(facts.loss);
    numbers_["norm"].push_back(facts.grad_norm);
    words_["examples"].push_back(double(facts.examples));
    words_["skipped"].push_back(double(facts.is_skipped));
  }
  void note(const trial::Report& report) {
    words_["report"].push_back(double(report.step));
    for (const trial::Metric& metric : report.metrics) numbers_[metric.name].push_back(metric.value);
  }
  void write(Lines& lines) const {
    for (const auto& [name, numbers] : words_) lines.words(name, joined(numbers));
    for (const auto& [name, numbers] : numbers_) lines.numbers(name, joined(numbers));
  }

 private:
  std::map<std::string, std::vector<double>> words_, numbers_;
};

Curves train(Training& training) {
  Curves curves;
  while (training.state().epoch < training.config().epochs && !training.progress().has_stopped()) {
    while (training.has_batch()) {
      training.step(true);
      curves.note(training);
    }
    curves.note(training.finish_epoch([] {}));
  }
  return curves;
}

std::string title_of(const Walk& walk) {
  std::string title = support::without_hashes(walk.name);
  support::replace_all(title, "\n ", " ");
  support::replace_all(title, "  ", " ");
  return title;
}

void write(const Walk& walk, Lines& lines) {
  INFO(walk.name);
  const std::unique_ptr<Training> training = begin(walk);
  lines.title(title_of(walk));
  train(*training).write(lines);
  const SafeTensors file(training->encode(), "a checkpoint");
  write_sizes(file, lines);
  write_texts(file, lines);
  write_shapes(file, lines);
}

void check(const std::string& name, const std::vector<Walk>& walks) {
  Lines lines;
  for (const Walk& walk : walks) write(walk, lines);
  const std::string file = DLRUN_SOURCE_DIR "/tests/golden/trainings/" + name + ".txt";
  const std::string found = support::difference(support::golden(file, lines.text()), lines.text());
  INFO(found);
  CHECK(found.empty());
}

}  // namespace

TEST_CASE("numbers of every optimizer and schedule are as they were", "[train][golden]") {
  check("optimizers", optimizer_walks());
  check("optimizer_options", optimizer_options());
  check("schedule_options", schedule_options());
}

TEST_CASE("numbers of every layer are as they were", "[train][golden]") { check("layers", layer_walks()); }

TEST_CASE("numbers of every way to batches are as they were", "[train][golden]") {
  check("data", data_walks());
  check("batch_options", batch_option_walks());
}

TEST_CASE("numbers of every loss, metric and output are as they were", "[train][golden]") {
  check("losses", loss_walks());
  check("loss_options", loss_options());
  check("outputs", output_walks());
}

TEST_CASE("numbers of every key of a trial are as they were", "[train][golden]") {
  check("options", option_walks());
  check("warm_starts", warm_walks());
}

}  // namespace walks_golden_test
