// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <dlrun/plugin/pruner.hpp>
#include <stdexcept>
#include <thread>

using namespace dlrun::plugin;

class Bad final : public Pruner {
 public:
  explicit Bad(const Judging& judging) : how_(judging.options.text("how")), after_(judging.options.integer("after")) {
    if (how_ == "constructor") throw std::runtime_error("the moon is wrong");
  }
  Verdict judge(const RungValue& at) override {
    if (verdicts_++ < after_) return {at.value > 100, "well judged"};
    if (how_ == "crash") std::raise(SIGSEGV);
    if (how_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (how_ == "throw") throw std::runtime_error("the jury is out");
    if (how_ == "odd") throw 7;
    if (how_ == "bytes") return {true, "\xFF"};
    while (how_ == "leak") leaked_.emplace_back(1 << 20, 'x');
    if (how_ == "clock") return {std::chrono::steady_clock::now().time_since_epoch().count() / 1000 % 2 == 0, "late"};
    return {};
  }

 private:
  std::string how_;
  std::int64_t after_;
  std::int64_t verdicts_ = 0;
  std::vector<std::string> leaked_;
};

DLRUN_PRUNER(Bad)
