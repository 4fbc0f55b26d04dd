// SPDX-License-Identifier: Apache-2.0
// How to run a study again: its command, its spec as written, and where it ran.
#pragma once
#include <string>

#include "page/sections.hpp"

namespace dlrun::page {

std::string rerun_html(const StudyPage& page);

/// Notes and tags of the study and its trials; empty: none.
std::string notes_html(const StudyPage& page);

}  // namespace dlrun::page
