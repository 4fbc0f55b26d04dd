// SPDX-License-Identifier: Apache-2.0
// Gloo's headers are Debian's, its code is libtorch's, which may be newer: no type of Gloo itself is touched here.
#include "train/gloo.hpp"

#include "util/error.hpp"

#if __has_include(<gloo/context.h>)
#include <deque>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace dlrun::train {

namespace {

constexpr std::chrono::minutes kMeeting{1};
constexpr std::chrono::hours kSum{24 * 365};  ///< limits.hang ends a training that hangs

[[noreturn]] void fail(const std::exception& fault) {
  const std::string text = fault.what();
  throw Error(ErrorKind::outside, "Gloo: " + text.substr(0, text.find('\n')));
}

class Gloo final : public gang::Collective {
 public:
  Gloo(const std::filesystem::path& folder, int rank, int ranks) {
    auto options = c10d::ProcessGroupGloo::Options::create(kMeeting);
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface("lo"));
    auto store = c10::make_intrusive<c10d::FileStore>((folder / "gloo").string(), ranks);
    group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, ranks, options);
    group_->setTimeout(kSum);
  }
  /// A sum that is under way waits for its ranks, perhaps for ever: its group stays, and ends with the process.
  ~Gloo() override {
    if (!sums_.empty()) static_cast<void>(group_.release());
  }
  Gloo(const Gloo&) = delete;
  Gloo& operator=(const Gloo&) = delete;

  void begin(const std::vector<float>& numbers) override {
    std::vector<at::Tensor> tensors{at::empty({std::int64_t(numbers.size())}, at::kFloat)};
    std::copy(numbers.begin(), numbers.end(), tensors.front().mutable_data_ptr<float>());
    auto work = group_->allreduce(tensors);
    sums_.push_back({std::move(tensors.front()), std::move(work)});
  }

  std::optional<std::vector<float>> take(std::chrono::milliseconds patience) override {
    Sum& sum = sums_.front();
    try {
      sum.work->wait(patience);
    } catch (const std::exception& fault) {
      if (!sum.work->isCompleted()) return std::nullopt;  // wait() says by an exception that its patience is over
      if (!sum.work->isSuccess()) fail(fault);
    }
    const float* const at = sum.numbers.const_data_ptr<float>();
    std::vector<float> total(at, at + sum.numbers.numel());
    sums_.pop_front();
    return total;
  }

 private:
  struct Sum {
    at::Tensor numbers;
    c10::intrusive_ptr<c10d::Work> work;
  };

  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::deque<Sum> sums_;
};

}  // namespace

std::unique_ptr<gang::Collective> open_gloo(const std::filesystem::path& folder, int rank, int ranks) {
  try {
    return std::make_unique<Gloo>(folder, rank, ranks);
  } catch (const std::exception& fault) {
    fail(fault);
  }
}

}  // namespace dlrun::train

#else

namespace dlrun::train {

std::unique_ptr<gang::Collective> open_gloo(const std::filesystem::path&, int, int) {
  throw Error(ErrorKind::usage, "parallel.reduce: this build has no Gloo",
              "take direct or ring, or build dlrun where Gloo's headers are (libgloo-dev)");
}

}  // namespace dlrun::train

#endif
