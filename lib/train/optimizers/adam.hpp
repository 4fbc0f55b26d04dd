// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW, which other methods use for tensors that they do not move themselves.
#pragma once
#include "train/optimizers/method.hpp"

namespace dlrun::train {

class Adam : public Method<recipe::Adam> {
 public:
  /// @param is_decoupled  AdamW
  Adam(const recipe::Adam& config, const Layout& layout, bool is_decoupled = false)
      : Method(config, layout), is_decoupled_(is_decoupled) {
    add_slot("exp_avg");
    add_slot("exp_avg_sq");
    if (config.amsgrad) add_slot("max_exp_avg_sq");
  }

 protected:
  void update(const Part& part) override;

 private:
  bool is_decoupled_;
};

}  // namespace dlrun::train
