// SPDX-License-Identifier: Apache-2.0
// Autograd within code that runs below it.
#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>

namespace dlrun::nn {

/// GraphModule runs its layers below autograd; this takes them back above it, until the end of the scope.
class WithAutograd {
 public:
  WithAutograd() : dispatch_(state()), mode_(true) {}

 private:
  static c10::impl::LocalDispatchKeySet state() {
    c10::impl::LocalDispatchKeySet now = c10::impl::tls_local_dispatch_key_set();
    now.excluded_ = now.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView;
    now.included_ = now.included_ | c10::default_included_set;
    return now;
  }

  c10::impl::ForceDispatchKeyGuard dispatch_;
  c10::AutoGradMode mode_;
};

}  // namespace dlrun::nn
