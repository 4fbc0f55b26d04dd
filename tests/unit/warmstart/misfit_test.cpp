// SPDX-License-Identifier: Apache-2.0
// Whether a plan takes enough of a file, and the help where it does not.
#include "warmstart/misfit.hpp"
#include "support/catch.hpp"

namespace misfit_test {

using namespace dlrun;
using namespace dlrun::warmstart;

namespace {

/// Help for a plan, after its fault's number; "fits" if it is enough.
std::string told(const WarmStart& start, const TransferPlan& plan) {
  const auto misfit = misfit_of(start, plan);
  return misfit ? misfit->fault.substr(0, 4) + ": " + misfit->help : "fits";
}

TransferPlan with_faults(std::vector<std::string> faults) {
  TransferPlan plan;
  plan.faults = std::move(faults);
  plan.share = 0.5;
  return plan;
}

TransferPlan with_share(double share) {
  TransferPlan plan;
  plan.share = share;
  return plan;
}

}  // namespace

TEST_CASE("only a policy other than partial is told of partial", "[warmstart]") {
  const WarmStart best, partial{.policy = "partial"};
  const TransferPlan plan = with_faults({"E405: the file has no tensor 'a'", "E404: 'b'", "E404: 'c'"});
  CHECK(misfit_of(best, plan)->fault == "E405: the file has no tensor 'a' (and 2 more like it)");
  CHECK(told(best, plan) == "E405: policy: partial takes what fits");
  CHECK(told(partial, plan) == "E405: on_mismatch: skip lets such tensors begin fresh");
  CHECK(told(partial, with_faults({"E407: 'a'"})) == "E407: take another donor, whose training did not diverge");
  CHECK(told(best, with_faults({"E408: 'a'"})) == "E408: let `map` give each tensor a name of its own");
}

TEST_CASE("partial takes min_fraction of the numbers, every other policy any", "[warmstart]") {
  const WarmStart best, partial{.policy = "partial"};
  CHECK(told(partial, with_share(0.5)) == "fits");
  CHECK(told(best, with_share(0.01)) == "fits");
  CHECK(misfit_of(partial, with_share(0.25))->fault ==
        "E402: 25.0 % of the model's numbers would be copied, less than 50.0 %");
  CHECK(told(partial, with_share(0.25)) ==
        "E402: lower warm_start.min_fraction, or on_mismatch: slice copies the part that both shapes have");
  const WarmStart slices{.policy = "partial", .on_mismatch = "slice"};
  CHECK(told(slices, with_share(0.25)) == "E402: lower warm_start.min_fraction");
}

TEST_CASE("a plan that takes nothing is no start", "[warmstart]") {
  CHECK(misfit_of(WarmStart(), with_share(0))->fault ==
        "E402: 0.0 % of the model's numbers would be copied, so nothing begins with them");
  CHECK(told(WarmStart(), with_share(0)) == "E402: take another donor, or `map` its names to those of the model");
}

}  // namespace misfit_test
