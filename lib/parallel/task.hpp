// SPDX-License-Identifier: Apache-2.0
// A coroutine that another one awaits, or that a backend starts. It begins when it is awaited or started.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

namespace dlrun::parallel {

/// Owns its coroutine: destroying it, wherever it waits, destroys all that it awaits.
class Task {
 public:
  struct promise_type {
    std::coroutine_handle<> awaiting;
    std::exception_ptr failure;

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Back {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        const std::coroutine_handle<> to = self.promise().awaiting;
        return to ? to : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Back final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };

  Task() = default;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs until the first wait. @throws whatever the coroutine threw
  void start() {
    handle_.resume();
    rethrow();
  }
  /// For a backend that resumed what the coroutine waited for.
  void rethrow() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }
  bool is_done() const { return !handle_ || handle_.done(); }

  struct Joining {
    const Task& task;
    bool await_ready() const noexcept { return task.is_done(); }
    void await_suspend(std::coroutine_handle<> by) const noexcept { task.handle_.promise().awaiting = by; }
    void await_resume() const { task.rethrow(); }
  };
  /// Waits for a task that was started.
  Joining joined() const { return {*this}; }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> by) noexcept {
    handle_.promise().awaiting = by;
    return handle_;
  }
  void await_resume() const { rethrow(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace dlrun::parallel
