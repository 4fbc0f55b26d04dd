# SPDX-License-Identifier: Apache-2.0
"""Prints as JSON the answers of TensorBoard's own backend from a log folder: read_tensorboard.py DIR

The table is asked for as its page asks, by the handlers of the plugin `hparams`; curves by EventAccumulator.
"""
import json
import pathlib
import sys

from tensorboard import context
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups


def scalars(folder):
    """{run: {tag: [[step, value], ...]}} by the reader that scripts use."""
    runs = {}
    for file in sorted(pathlib.Path(folder).rglob("*tfevents*")):
        events = EventAccumulator(str(file.parent))
        events.Reload()
        tags = {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
        runs[str(file.parent.relative_to(folder))] = tags
    return runs


def value_of(value):
    return getattr(value, value.WhichOneof("kind"))


def table(folder):
    """Columns and rows of the page HPARAMS; members of a row are averaged."""
    multiplexer = plugin_event_multiplexer.EventMultiplexer()
    multiplexer.AddRunsFromDirectory(folder)
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
    backend = backend_context.Context(base_plugin.TBContext(data_provider=provider, logdir=folder))
    request_context = context.RequestContext()
    experiment = backend.experiment_from_metadata(
        request_context, "", True, backend.hparams_metadata(request_context, ""),
        backend.hparams_from_data_provider(request_context, "", 0))
    request = api_pb2.ListSessionGroupsRequest(
        start_index=0, slice_size=1000, allowed_statuses=[0, 1, 2, 3], include_metrics=True,
        aggregation_type=api_pb2.AGGREGATION_AVG)
    for info in experiment.hparam_infos:
        request.col_params.add(hparam=info.name)
    for info in experiment.metric_infos:
        request.col_params.add(metric=info.name)
    groups = list_session_groups.Handler(request_context, backend, "", request).run().session_groups
    columns = {}
    for info in experiment.hparam_infos:
        if info.WhichOneof("domain") == "domain_interval":
            columns[info.name] = [info.domain_interval.min_value, info.domain_interval.max_value]
        else:
            columns[info.name] = [value_of(value) for value in info.domain_discrete.values]
    rows = {
        group.name: {
            "values": {name: value_of(value) for name, value in group.hparams.items()},
            "metrics": {metric.name.tag: metric.value for metric in group.metric_values},
            "sessions": {session.name: api_pb2.Status.Name(session.status) for session in group.sessions},
            "times": [[session.start_time_secs, session.end_time_secs] for session in group.sessions],
        } for group in groups
    }
    return {"columns": columns, "metrics": [info.name.tag for info in experiment.metric_infos], "rows": rows}


print(json.dumps({"scalars": scalars(sys.argv[1]), "table": table(sys.argv[1])}))
