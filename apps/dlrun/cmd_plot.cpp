// SPDX-License-Identifier: Apache-2.0
// dlrun plot KIND [STUDY]: one picture of a study as a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "arguments.hpp"
#include "output/console.hpp"
#include "plot/gnuplot.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

plot::Form form_of(const std::filesystem::path& file) {
  for (const plot::Form form : {plot::Form::svg, plot::Form::pdf, plot::Form::png}) {
    if (file.extension() == std::string(".") + plot::ending(form)) return form;
  }
  throw Error(ErrorKind::usage, fmt::format("'{}' does not say which form the picture has", file.string()),
              "end its name with .svg, .pdf or .png");
}

std::vector<std::string> parameters_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string& list : arguments.list("parameters")) {
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  }
  return names;
}

int run_plot(const Arguments& arguments, Console& console) {
  const std::string& kind = arguments.words()[0];
  const std::string file = arguments.text("output");
  const plot::Form form = file.empty() ? plot::Form::svg : form_of(file);
  const std::string study =
      report::find_study(arguments.store(), arguments.words().size() > 1 ? arguments.words()[1] : "");
  const plot::Picture picture =
      report::Reader(arguments.store(), {study})
          .picture(kind, {parameters_of(arguments), arguments.text("objective"), arguments.has("log")});
  const std::string target = file.empty() ? picture.name + ".svg" : file;
  const std::string bytes = plot::drawn(picture, form);
  write_output(target, bytes);
  console.note(fmt::format("{}: {} bytes", target, bytes.size()));
  return 0;
}

/// "history (objective of each trial …), curves (…)"
std::string kinds_text() {
  std::string text;
  for (const report::PictureKind& kind : report::picture_kinds())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kind.name, kind.text);
  return text;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const report::PictureKind& kind : report::picture_kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace

Verb plot_verb() {
  return {
      .name = "plot",
      .summary = "draw a picture of a study for a paper",
      .text = fmt::format(
          "Kinds: {}. gnuplot draws it as SVG, PDF or PNG, by the ending of the file's name. Of many trials an even "
          "sample is drawn, with the best, and the picture says so. `dlrun report --plots DIR` draws all kinds "
          "that the study has data for. docs/plots.md shows them.",
          kinds_text()),
      .arguments =
          {{.name = "KIND", .text = "a kind of picture", .choices = kind_names()},
           {.name = "STUDY", .text = "its name (default: the study started last)", .kind = Kind::study, .least = 0}},
      .options = {output_option("file.svg, file.pdf or file.png (default: STUDY-KIND.svg in this folder)"),
                  {.name = "parameters",
                   .value = "NAMES",
                   .text = "parameters that are drawn, e.g. lr,width (default: the most important ones)"},
                  {.name = "objective", .value = "NAME", .text = "the objective (default: the first)"},
                  {.name = "log", .text = "the objective on a logarithmic axis"},
                  store_option()},
      .examples = {{"dlrun plot history", "the study started last, as STUDY-history.svg"},
                   {"dlrun plot curves digits -o curves.pdf", "learning curves for LaTeX"},
                   {"dlrun plot contour --parameters lr,width -o contour.png", "two parameters"}},
      .run = run_plot};
}

}  // namespace dlrun::cli
