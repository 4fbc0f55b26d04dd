// SPDX-License-Identifier: Apache-2.0
// Text and tables as HTML. Nothing of a study enters a page by another way.
#pragma once
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace dlrun::page {

/// Text as HTML shows it, in elements and in quoted attributes: `<`, `>`, `&` and both quotes as entities, control
/// characters as visible escapes.
std::string escaped(std::string_view text);

/// The same with its lines as they are.
std::string escaped_lines(std::string_view text);

/// The first 80 bytes or so, with an ellipsis where there are more.
std::string beginning(std::string_view text);

/// A sentence of ours: what stands between backticks is code.
std::string prose(std::string_view text);

/// A table, a paragraph, or a paragraph and a list, as its shape says; its title is the caption.
/// @param study  name of its study on a page of several, so that no two landmarks have one name; else empty
std::string table_html(const report::Table& table, const std::string& study = {});

}  // namespace dlrun::page
