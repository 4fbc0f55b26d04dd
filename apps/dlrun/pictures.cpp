// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <fmt/format.h>

#include "output/text_form.hpp"
#include "plot/gnuplot.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

void make_folder(const fs::path& folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) {
    throw Error(ErrorKind::outside, "cannot make folder '" + folder.string() + "': " + fault.message());
  }
}

fs::path file_of(const plot::Picture& picture, const fs::path& folder, plot::Form form) {
  return folder / (picture.name + "." + plot::ending(form));
}

std::string shown(const plot::Picture& picture, const fs::path& folder, const std::string& format) {
  if (format == "markdown") {
    return fmt::format("\n![{}](<{}>)\n", in_markdown(picture.title),
                       file_of(picture, folder, plot::Form::svg).string());
  }
  if (format == "latex") {
    return fmt::format(
        "\n\\begin{{figure}}\n  \\centering\n  \\includegraphics[width=\\linewidth]{{{}}}\n  "
        "\\caption{{{}}}\n\\end{{figure}}\n",
        file_of(picture, folder, plot::Form::pdf).string(), in_latex(picture.title));
  }
  return {};
}

}  // namespace

std::string draw(const std::vector<plot::Picture>& pictures, const fs::path& folder, const std::string& format) {
  std::vector<plot::Form> forms = {plot::Form::svg, plot::Form::png};
  if (format == "latex") forms.push_back(plot::Form::pdf);
  std::string text = format == "latex" ? "\n% \\usepackage{graphicx}" : "";
  for (const plot::Picture& picture : pictures) {
    for (const plot::Form form : forms) {
      const std::string bytes = plot::drawn(picture, form);
      make_folder(folder);
      write_file(file_of(picture, folder, form), bytes, {.durable = false, .mode = 0644});
    }
    text += shown(picture, folder, format);
  }
  return text;
}

}  // namespace dlrun::cli
