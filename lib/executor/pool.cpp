// SPDX-License-Identifier: Apache-2.0
#include "executor/pool.hpp"

namespace dlrun::executor {

Pool::Meeting Pool::meet(const protocol::Hello& hello, PoolView) {
  return {nullptr, "worker " + std::to_string(hello.worker) + " was not started by this driver"};
}

}  // namespace dlrun::executor
