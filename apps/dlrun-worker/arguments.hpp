// SPDX-License-Identifier: Apache-2.0
// The command line of a worker.
#pragma once
#include "worker/worker.hpp"

namespace dlrun {

/// `--socket PATH --worker N [--cores LIST] [--gpu NAME] [--cgroup DIR]`, as dlrun starts a worker, or `--endpoint FILE
/// [--scratch DIR] …`, by which a person on another machine joins a driver.
/// @throws Error(usage) for an unknown option, a value that is missing or empty, and options that exclude each other.
worker::Options read_arguments(int argc, char** argv);

/// How a worker is called, for people.
const char* usage_of_worker();

}  // namespace dlrun
