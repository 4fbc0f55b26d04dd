// SPDX-License-Identifier: Apache-2.0
// One node with its coroutines, as far as all backends play it alike.
#pragma once
#include <utility>
#include <vector>

#include "parallel/algorithm.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

template <class Real>
class PlayedNode : public Env<Real> {
 public:
  /// @param algorithm, members  lent
  PlayedNode(const Gang& gang, int self, RandomStream random, const Algorithm<Real>& algorithm, Members<Real>& members)
      : Env<Real>(gang, self, random), algorithm_(algorithm), members_(members) {}

  bool is_rank() const { return this->self() < this->gang().ranks; }

  /// Begins its coroutines.
  void begin() {
    if (!is_rank()) return begin(algorithm_.serve(*this, server()));
    begin(algorithm_.run_beside(*this, rank()));
    begin(algorithm_.run(*this, rank()));
  }
  /// @throws whatever one of them threw
  void check() const {
    for (const Task& task : tasks_) task.rethrow();
  }
  /// Destroys them and takes in what the mailbox has left.
  void end() {
    tasks_.clear();
    this->mailbox().forget();
    if (is_rank()) algorithm_.finish(*this, rank());
  }

 protected:
  Gradient<Real> take_gradient() override { return std::move(gradient_); }
  double samples() const override { return gradient_.samples; }
  std::vector<Real> copy_made(const Shard& shard) override {
    if (gradient_.samples == 0) return std::vector<Real>(shard.size());
    return slice(gradient_.numbers, shard);
  }
  std::vector<Real> copy_squares() const override {
    return gradient_.samples == 0 ? std::vector<Real>(this->gang().squares) : gradient_.squares;
  }

  Gradient<Real> gradient_;  ///< the one that was begun last

 private:
  void begin(Task task) {
    tasks_.push_back(std::move(task));
    tasks_.back().start();
  }
  Rank<Real>& rank() { return members_.ranks[std::size_t(this->self())]; }
  Server<Real>& server() { return members_.servers[std::size_t(this->self() - this->gang().ranks)]; }

  const Algorithm<Real>& algorithm_;
  Members<Real>& members_;
  std::vector<Task> tasks_;
};

}  // namespace dlrun::parallel
