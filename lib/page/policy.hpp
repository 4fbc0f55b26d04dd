// SPDX-License-Identifier: Apache-2.0
// Content security policies: which scripts run on a page, and whom it may ask.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::page {

/// The text with which a policy allows this one script: 'sha256-…' of it, as browsers read it, with line feeds alone.
std::string script_source(std::string_view script);

/// Text of the page's own script element.
const std::string& own_script();

/// Policy of a file: no network, no frame, no form, and no script but these.
/// @param plotly  text of the second script element; empty: there is none
std::string file_policy(std::string_view plotly);

/// Policy of pages that follow a running study: they may ask their own server, and nobody else.
const std::string& live_policy();

}  // namespace dlrun::page
