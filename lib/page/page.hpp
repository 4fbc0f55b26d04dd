// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that opens offline.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::page {

struct Request {
  std::filesystem::path store;
  std::vector<std::string> studies;  ///< names; empty: the one started last
  std::string_view plotly;           ///< text of plotly.min.js; empty: plots stay static pictures
  bool is_drawn = true;              ///< draws static pictures too: gnuplot is there
};

/// The file's text. Each study is read at one moment. The page asks no network: its policy forbids it.
///
/// The page's data is the gzipped JSON text `{"version": 1, "studies": […]}` in base64; each study is
/// {name, kind, objectives, parameters, states, trials, best, front, curves, importance, workers, ablation}; the last
/// five are left out where the study has none. trial_data.hpp, curve_data.hpp, worker_data.hpp and answer_data.hpp have
/// their fields.
/// @throws Error(not_found) with the nearest name; Error(store) damaged or newer; Error(outside) where gnuplot fails.
std::string html_page(const Request& request);

}  // namespace dlrun::page
