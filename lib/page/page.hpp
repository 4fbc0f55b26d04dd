// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that opens offline.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::page {

/// A page that is served: it asks for PATH/version (live_policy allows it), and replaces what has changed when that is
/// another text.
struct Live {
  std::string version;
  std::string plotly_url;  ///< empty: plotly.js is not installed
};

struct Request {
  std::filesystem::path store;
  std::vector<std::string> studies;  ///< names; empty: the one started last
  std::string_view plotly;           ///< text of plotly.min.js; empty: plots stay static pictures
  bool is_drawn = true;              ///< draws static pictures too: gnuplot is there
  std::optional<Live> live = {};     ///< a page that is served; `plotly` is not looked at then
};

/// The file's text. Each study is read at one moment. The page asks no network: its policy forbids it.
///
/// The page's data is the gzipped JSON text `{"version": 1, "studies": […]}` in base64; each study is
/// {name, kind, objectives, parameters, states, trials, best, front, curves, importance, workers, ablation, ranks,
/// placement}; those after `best` are left out where the study has none. trial_data.hpp, curve_data.hpp,
/// worker_data.hpp, answer_data.hpp, rank_data.hpp and placement_data.hpp have their fields.
/// @throws Error(not_found) with the nearest name; Error(store) damaged or newer; Error(outside) where gnuplot fails.
std::string html_page(const Request& request);

/// A served page with the studies of a store, or these of them, and links to `study/NAME`.
/// @param version  text that changes with the studies; the page asks for `version`
std::string html_index(const std::filesystem::path& store, const std::vector<std::string>& studies,
                       const std::string& version);

}  // namespace dlrun::page
