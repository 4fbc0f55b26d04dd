// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <dlrun/plugin/exporter.hpp>
#include <fstream>
#include <stdexcept>
#include <thread>

using namespace dlrun::plugin;

class Bad final : public Exporter {
 public:
  explicit Bad(const Options& options) : how_(options.text("how")) {
    if (how_ == "constructor") throw std::runtime_error("the moon is wrong");
  }
  void write(const Study& study, const std::filesystem::path& folder) override {
    if (how_ == "nothing") return;
    std::ofstream(folder / (study.name + ".txt")) << "half";
    if (how_ == "crash") std::raise(SIGSEGV);
    if (how_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (how_ == "throw") throw std::runtime_error("the ink is used up");
    while (how_ == "leak") leaked_.emplace_back(1 << 20, 'x');
  }

 private:
  std::string how_;
  std::vector<std::string> leaked_;
};

DLRUN_EXPORTER(Bad)
