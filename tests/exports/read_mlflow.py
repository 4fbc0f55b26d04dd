# SPDX-License-Identifier: Apache-2.0
"""Prints as JSON the answers of MLflow's own client from a tracking store: read_mlflow.py URI"""
import json
import sys

import mlflow

mlflow.set_tracking_uri(sys.argv[1])
client = mlflow.MlflowClient()


def run_of(run):
    return {
        "status": run.info.status,
        "times": [run.info.start_time, run.info.end_time],
        "params": run.data.params,
        "metrics": {key: [[m.step, m.value] for m in client.get_metric_history(run.info.run_id, key)]
                    for key in sorted(run.data.metrics)},
        "tags": run.data.tags,
        "artifacts": [one.path for one in client.list_artifacts(run.info.run_id)],
        "id": run.info.run_id,
    }


studies = {}
for experiment in client.search_experiments():
    runs = client.search_runs([experiment.experiment_id], max_results=1000)
    if runs:
        studies[experiment.name] = {run.info.run_name: run_of(run) for run in runs}
print(json.dumps(studies))
