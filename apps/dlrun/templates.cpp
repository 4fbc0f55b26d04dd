// SPDX-License-Identifier: Apache-2.0
#include "templates.hpp"

#include <fmt/format.h>

namespace dlrun::cli {

namespace {

/// A scalar that YAML reads back as it is: a number stays one, anything else is quoted.
std::string scalar(const std::string& text) {
  if (!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string function_template() {
  return R"(# A study for dlrun. Check it with `dlrun check study.yaml`, run it with `dlrun tune study.yaml`.
# Every key that is left out has a default: `dlrun check --show-defaults` lists them.
study: first                     # its name; the results are kept under it in ./dlrun-store
objective: {metric: value, direction: minimize}

# What is searched. Types: float, int, categorical, ordinal, constant.
space:
  x1: {type: float, low: -5, high: 10}
  x2: {type: float, low: 0, high: 15}

limits: {trials: 32}             # when to stop

# What a trial does: compute a test function. To train a network instead, see `dlrun init --kind train other.yaml`;
# to run a program of yours, `dlrun init --kind command other.yaml`.
trial: {kind: function, function: {op: branin}, epochs: 1}
)";
}

std::string command_template() {
  return R"(# A study for dlrun that runs a program of yours, one process for each trial.
# Check it with `dlrun check`, run it with `dlrun tune`.
study: my-program
objective: {metric: loss, direction: minimize}

# Each parameter is handed to the program: as {lr} in the command below, all of them as --lr=0.1 --width=64 where the
# command says ${args}, and as JSON in the file $DLRUN_PARAMS.
space:
  lr:    {type: float, low: 1e-4, high: 1e-1, scale: log}
  width: {type: int, low: 32, high: 256, step: 32}

limits: {trials: 16}

# The program says what it measured by JSON lines on file descriptor 3 ($DLRUN_REPORT_FD):
#   {"metric": "loss", "step": 1, "value": 0.5}
trial:
  kind: command
  command:
    - sh
    - -c
    - echo '{{"metric":"loss","step":1,"value":{lr}}}' >&3
)";
}

std::string python_template() {
  return R"(# A study for dlrun that calls a function of yours for each trial (docs/python.md).
# Check it with `dlrun check`, run it with `dlrun tune`.
study: my-function
objective: {metric: loss, direction: minimize, at: last}

# The function finds these in trial.params.
space:
  lr:    {type: float, low: 1e-4, high: 1e-1, scale: log}
  width: {type: int, low: 32, high: 256, step: 32}

limits: {trials: 16}

# In train.py, beside this file:
#
#   def objective(trial):
#       for epoch in trial.steps:
#           loss = ...                          # train an epoch with trial.params
#           if not trial.report(epoch, loss=loss):
#               break
trial: {kind: python, function: "train.py:objective", epochs: 10}
)";
}

std::string train_template(const TableToLearn& table) {
  return fmt::format(
      R"(# A study for dlrun that trains a network on a table. Check it with `dlrun check`, run it with `dlrun tune`.
# Every key that is left out has a default: `dlrun check --show-defaults` lists them.
study: my-table                  # its name; the results are kept under it in ./dlrun-store
objective: {{metric: {objective}, at: best}}

# What is searched. `at:` is the place in the trial below that a parameter sets.
space:
  lr:    {{at: optimizer.lr, type: float, low: 1e-4, high: 1e-1, scale: log}}
  width: {{at: model.nodes.fc1.out, type: int, low: 16, high: 128, step: 16}}
  drop:  {{at: model.nodes.drop1.p, type: float, low: 0.0, high: 0.5}}

limits: {{trials: 32}}             # when to stop
search: {{pruner: {{op: asha, eta: 3}}}}   # poor trials stop early

# What a trial does.
trial:
  data: {{op: csv, path: {data}, target: {target}{unit}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 64}}
      - {{name: act1, op: relu}}
      - {{name: drop1, op: dropout, p: 0.1}}
      - {{name: head, op: linear, out: {out}, role: head}}
  loss: {loss}
  optimizer: {{op: adam, lr: 0.001}}
  epochs: 27
  batch_size: 32
)",
      fmt::arg("objective", table.has_classes ? "val.accuracy, direction: maximize" : "val.rmse, direction: minimize"),
      fmt::arg("data", scalar(table.data)), fmt::arg("target", scalar(table.target)),
      fmt::arg("unit", table.has_classes ? "" : ", standardise_targets: true"),
      fmt::arg("out", table.has_classes ? "classes" : "targets"),
      fmt::arg("loss", table.has_classes
                           ? "cross_entropy"
                           : "mse                      # the target is a number\n  metrics: [rmse, mae]"));
}

}  // namespace dlrun::cli
