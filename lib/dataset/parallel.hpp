// SPDX-License-Identifier: Apache-2.0
// Work on many files at once, with the outcome of doing them one after the other.
#pragma once
#include <cstdint>
#include <functional>

namespace dlrun::dataset {

/// Calls work(i) for every i in [0, count), on as many threads as this process may use (at most 16). Where calls throw,
/// the exception of the lowest i leaves. REQUIRES: the calls do not depend on one another.
void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace dlrun::dataset
