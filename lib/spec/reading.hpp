// SPDX-License-Identifier: Apache-2.0
// Names of lib/document with which the checks of this room read and report.
#pragma once
#include "document/reader.hpp"
#include "document/scalars.hpp"

namespace dlrun::spec {

using document::Faults;
using document::join;
using document::kAfterFiles;
using document::read;
using document::seconds;
using document::suggest;

}  // namespace dlrun::spec
