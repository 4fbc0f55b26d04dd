// SPDX-License-Identifier: Apache-2.0
// A host that keeps what a runner says, and a folder that goes away.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::worker {

class FakeHost final : public trial::Host {
 public:
  void report(const trial::Report& report) override { reports.push_back(report); }
  void step() override { ++steps; }
  bool is_stopping() const override { return stop_when && stop_when(*this); }
  void log(const std::string& line) override { lines.push_back(line); }

  std::vector<trial::Report> reports;
  std::vector<std::string> lines;
  int steps = 0;
  std::function<bool(const FakeHost&)> stop_when;
};

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dlrun-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline trial::PieceOrder order_in(const std::filesystem::path& folder, Json params, std::int64_t to_step = 1) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(17);
  order.attempt = 1;
  order.to_step = to_step;
  order.seed = 7;
  order.params = std::move(params);
  order.sets = Json::object();
  order.folder = folder.string();
  return order;
}

}  // namespace dlrun::worker
