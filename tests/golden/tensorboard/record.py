#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the bytes that TensorBoard's own writer makes of a few events, for tests/unit/exchange.

    python3 -m venv /tmp/tb && /tmp/tb/bin/pip install tensorboard==2.21.0 'setuptools<81'
    /tmp/tb/bin/python tests/golden/tensorboard/record.py > tests/golden/tensorboard/events.txt

Each line is a name and a framed record in hexadecimal digits.
"""
import io
import math

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


def framed(event):
    file = io.BytesIO()
    RecordWriter(file).write(event.SerializeToString(deterministic=True))
    return file.getvalue().hex()


def scalar(time, step, tag, value):
    summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, simple_value=value)])
    return event_pb2.Event(wall_time=time, step=step, summary=summary)


def hparams(time, tag, **data):
    data = plugin_data_pb2.HParamsPluginData(**data)
    value = summary_pb2.Summary.Value(
        tag=tag, metadata=metadata.create_summary_metadata(data), tensor=metadata.NULL_TENSOR)
    return event_pb2.Event(wall_time=time, summary=summary_pb2.Summary(value=[value]))


def experiment():
    lr = api_pb2.HParamInfo(name="lr", description="optimizer.lr", type=api_pb2.DATA_TYPE_FLOAT64)
    lr.domain_interval.min_value, lr.domain_interval.max_value = 0.0001, 0.1
    act = api_pb2.HParamInfo(name="act", type=api_pb2.DATA_TYPE_STRING)
    act.domain_discrete.extend(["relu", 'ta"nh \U0001f600'])
    bias = api_pb2.HParamInfo(name="bias", type=api_pb2.DATA_TYPE_BOOL)
    bias.domain_discrete.extend([False, True])
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag="objective/val.accuracy"), dataset_type=2),
               api_pb2.MetricInfo(name=api_pb2.MetricName(tag="train.loss"), dataset_type=1),
               api_pb2.MetricInfo(name=api_pb2.MetricName(tag="size"))]
    return api_pb2.Experiment(time_created_secs=1764150000.25, hparam_infos=[lr, act, bias], metric_infos=metrics)


def session_start():
    start = plugin_data_pb2.SessionStartInfo(group_name="digits/17", start_time_secs=1764150000.25)
    start.hparams["act"].string_value = "relu"
    start.hparams["bias"].bool_value = False
    start.hparams["lr"].number_value = 0.012
    return start


def main():
    time = 1764150000.25
    print("version", framed(event_pb2.Event(wall_time=time, file_version="brain.Event:2")))
    print("scalar", framed(scalar(time, 3, "val.accuracy", 0.9888)))
    print("far", framed(scalar(time, 300000, "l\u00f6ss", 1e-8)))
    print("first", framed(scalar(time, 0, "loss", 0.0)))
    print("infinite", framed(scalar(time, 1, "loss", -math.inf)))
    print("experiment", framed(hparams(time, metadata.EXPERIMENT_TAG, experiment=experiment())))
    print("start", framed(hparams(time, metadata.SESSION_START_INFO_TAG, session_start_info=session_start())))
    for name, status in (("end", 1), ("failed", 2), ("pruned", 0)):
        end = plugin_data_pb2.SessionEndInfo(status=status, end_time_secs=1764150009.5)
        print(name, framed(hparams(time, metadata.SESSION_END_INFO_TAG, session_end_info=end)))


main()
