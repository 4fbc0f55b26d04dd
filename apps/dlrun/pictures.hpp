// SPDX-License-Identifier: Apache-2.0
// Pictures as files of a folder.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace dlrun::cli {

/// Draws each as FOLDER/name.svg and FOLDER/name.png, for LaTeX FOLDER/name.pdf too; the folder is made where it is not
/// there.
/// @param format  of the report that the pictures belong to
/// @return what that report says of them: Markdown and LaTeX show them, others say nothing
/// @throws Error(usage) where there is no gnuplot; Error(outside) where it fails or the folder cannot be written.
std::string draw(const std::vector<plot::Picture>& pictures, const std::filesystem::path& folder,
                 const std::string& format);

}  // namespace dlrun::cli
