// SPDX-License-Identifier: Apache-2.0
// Style and script of pages, compiled in.
#pragma once
#include <string_view>

namespace dlrun::page {

std::string_view page_css();  ///< assets/*.css
std::string_view page_js();   ///< assets/*.js; reads the data that page.hpp describes

}  // namespace dlrun::page
