// SPDX-License-Identifier: Apache-2.0
// A text to a tree, for tests.
#pragma once
#include "document/parse.hpp"
#include "support/catch.hpp"

namespace dlrun::document {

struct ReadText {
  Diagnostics faults;
  std::optional<Node> root;

  explicit ReadText(const std::string& text) {
    const Source source = make_source("test.yaml", ".", 0, text, faults);
    if (source) root = parse(source, faults);
  }
  std::string errors() const { return faults.render_errors(); }
};

}  // namespace dlrun::document
