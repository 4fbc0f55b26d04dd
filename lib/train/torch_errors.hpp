// SPDX-License-Identifier: Apache-2.0
// Errors of libtorch in words for a person.
#pragma once
#include <string>

#include <c10/util/Exception.h>

namespace dlrun::train {

/// Message of a c10::Error, without the stack of C++ frames.
std::string first_line(const c10::Error& fault);

/// The CPU allocator reports lack of memory as an ordinary error, told apart by its text alone.
bool is_out_of_memory(const c10::Error& fault);

}  // namespace dlrun::train
