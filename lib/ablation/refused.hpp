// SPDX-License-Identifier: Apache-2.0
// A component that cannot be ablated, by the code of the rule it breaks (docs/ablation.md lists them).
#pragma once
#include <string>

#include "util/error.hpp"

namespace dlrun::ablation {

class Refused : public Error {
 public:
  /// The message begins with the code, "E202: …".
  Refused(const std::string& code, const std::string& message, std::string hint = {})
      : Error(ErrorKind::usage, code + ": " + message, std::move(hint)), code_(code) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

}  // namespace dlrun::ablation
