# SPDX-License-Identifier: Apache-2.0
"""Layer kinds over vectors, series, images and volumes: op, attributes and the call of PyTorch that gives the same."""
import torch
from torch import nn
from torch.nn import functional as F

from cases import layer, model

ROW, SERIES, IMAGE, VOLUME = [6], [4, 11], [4, 7, 6], [4, 3, 5, 4]


def linears():
    yield layer(dict(op="linear", out=5), lambda: nn.Linear(6, 5), ROW)
    yield layer(dict(op="linear", out=5, bias=False), lambda: nn.Linear(11, 5, bias=False), SERIES)


def convolutions():
    yield layer(dict(op="conv1d", out=6, k=3), lambda: nn.Conv1d(4, 6, 3), SERIES)
    yield layer(dict(op="conv1d", out=6, k=4, stride=2, pad=1, groups=2),
                lambda: nn.Conv1d(4, 6, 4, 2, 1, groups=2), SERIES)
    yield layer(dict(op="conv1d", out=3, k=2, pad="same", dilation=3),
                lambda: nn.Conv1d(4, 3, 2, padding="same", dilation=3), SERIES)
    yield layer(dict(op="conv2d", out=6, k=3, pad=1), lambda: nn.Conv2d(4, 6, 3, padding=1), IMAGE)
    yield layer(dict(op="conv2d", out=6, k=[3, 2], stride=[2, 1], pad=[1, 0], groups=2),
                lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), groups=2), IMAGE)
    yield layer(dict(op="conv2d", out=3, k=3, dilation=2, bias=False),
                lambda: nn.Conv2d(4, 3, 3, dilation=2, bias=False), IMAGE)
    yield layer(dict(op="conv2d", out=3, k=4, pad="same"), lambda: nn.Conv2d(4, 3, 4, padding="same"), IMAGE)
    yield layer(dict(op="conv2d", out=8, k=3, groups="in"), lambda: nn.Conv2d(4, 8, 3, groups=4), IMAGE)
    yield layer(dict(op="conv2d", out=5, k=1, stride=2), lambda: nn.Conv2d(4, 5, 1, 2), IMAGE)
    yield layer(dict(op="conv3d", out=3, k=3, pad=1), lambda: nn.Conv3d(4, 3, 3, padding=1), VOLUME)
    yield layer(dict(op="conv3d", out=4, k=[2, 3, 1], stride=[1, 2, 2], groups=2, bias=False),
                lambda: nn.Conv3d(4, 4, (2, 3, 1), (1, 2, 2), groups=2, bias=False), VOLUME)


def transposed():
    yield layer(dict(op="conv_transpose1d", out=3, k=4, stride=3, output_padding=2),
                lambda: nn.ConvTranspose1d(4, 3, 4, 3, output_padding=2), SERIES)
    yield layer(dict(op="conv_transpose2d", out=6, k=2, stride=2), lambda: nn.ConvTranspose2d(4, 6, 2, 2), IMAGE)
    yield layer(dict(op="conv_transpose2d", out=6, k=[3, 4], stride=[2, 3], pad=[1, 0], output_padding=[1, 2], groups=2,
                     dilation=[1, 2], bias=False),
                lambda: nn.ConvTranspose2d(4, 6, (3, 4), (2, 3), (1, 0), (1, 2), 2, False, (1, 2)), IMAGE)
    yield layer(dict(op="conv_transpose3d", out=2, k=2, stride=2, pad=1),
                lambda: nn.ConvTranspose3d(4, 2, 2, 2, 1), VOLUME)


def norms():
    yield layer(dict(op="batchnorm"), lambda: nn.BatchNorm1d(6), ROW)
    yield layer(dict(op="batchnorm"), lambda: nn.BatchNorm1d(4), SERIES)
    yield layer(dict(op="batchnorm"), lambda: nn.BatchNorm2d(4), IMAGE)
    yield layer(dict(op="batchnorm", momentum=0.3, eps=1e-3, affine=False),
                lambda: nn.BatchNorm2d(4, 1e-3, 0.3, False), IMAGE)
    yield layer(dict(op="batchnorm"), lambda: nn.BatchNorm3d(4), VOLUME)
    yield layer(dict(op="layernorm"), lambda: nn.LayerNorm(6), ROW)
    yield layer(dict(op="layernorm", eps=1e-3), lambda: nn.LayerNorm(11, 1e-3), SERIES)
    yield layer(dict(op="layernorm"), lambda: nn.LayerNorm(IMAGE), IMAGE)
    yield layer(dict(op="layernorm", shape=[6]), lambda: nn.LayerNorm(6), IMAGE)
    yield layer(dict(op="layernorm", affine=False), lambda: nn.LayerNorm(11, elementwise_affine=False), SERIES)
    yield layer(dict(op="groupnorm", groups=2), lambda: nn.GroupNorm(2, 4), IMAGE)
    yield layer(dict(op="groupnorm", groups=3, eps=1e-2), lambda: nn.GroupNorm(3, 6, 1e-2), ROW)
    yield layer(dict(op="groupnorm", groups=1, affine=False), lambda: nn.GroupNorm(1, 4, affine=False), SERIES)
    yield layer(dict(op="instancenorm"), lambda: nn.InstanceNorm1d(4), SERIES)
    yield layer(dict(op="instancenorm", affine=True, track_running_stats=True, momentum=0.3),
                lambda: nn.InstanceNorm2d(4, momentum=0.3, affine=True, track_running_stats=True), IMAGE)
    yield layer(dict(op="instancenorm", eps=1e-2), lambda: nn.InstanceNorm3d(4, 1e-2), VOLUME)
    yield layer(dict(op="rmsnorm"), lambda: nn.RMSNorm(11), SERIES)
    yield layer(dict(op="rmsnorm", eps=1e-3, affine=False),
                lambda: nn.RMSNorm(IMAGE, 1e-3, elementwise_affine=False), IMAGE)


def max_pools():
    yield layer(dict(op="maxpool", k=3), lambda x: F.max_pool1d(x, 3), SERIES)
    yield layer(dict(op="maxpool", k=3, stride=2, pad=1, ceil_mode=True),
                lambda x: F.max_pool1d(x, 3, 2, 1, ceil_mode=True), SERIES)
    yield layer(dict(op="maxpool", k=2, dilation=3), lambda x: F.max_pool1d(x, 2, dilation=3), SERIES)
    yield layer(dict(op="maxpool", k=2), lambda x: F.max_pool2d(x, 2), IMAGE)
    yield layer(dict(op="maxpool", k=3, stride=2, pad=1), lambda x: F.max_pool2d(x, 3, 2, 1), IMAGE)
    yield layer(dict(op="maxpool", k=[2, 3], stride=2, ceil_mode=True),
                lambda x: F.max_pool2d(x, (2, 3), 2, ceil_mode=True), IMAGE)
    yield layer(dict(op="maxpool", k=2, stride=1, dilation=[2, 3]),
                lambda x: F.max_pool2d(x, 2, 1, dilation=(2, 3)), IMAGE)
    yield layer(dict(op="maxpool", k=[1, 2, 3]), lambda x: F.max_pool3d(x, (1, 2, 3)), VOLUME)
    yield layer(dict(op="maxpool", k=3, stride=2, pad=1, ceil_mode=True),
                lambda x: F.max_pool3d(x, 3, 2, 1, ceil_mode=True), VOLUME)


def mean_pools():
    yield layer(dict(op="avgpool", k=3), lambda x: F.avg_pool1d(x, 3), SERIES)
    yield layer(dict(op="avgpool", k=4, stride=3, pad=2, ceil_mode=True, count_include_pad=False),
                lambda x: F.avg_pool1d(x, 4, 3, 2, True, False), SERIES)
    yield layer(dict(op="avgpool", k=3, stride=2, pad=1), lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGE)
    yield layer(dict(op="avgpool", k=[2, 3], pad=1, ceil_mode=True, count_include_pad=False),
                lambda x: F.avg_pool2d(x, (2, 3), None, 1, True, False), IMAGE)
    yield layer(dict(op="avgpool", k=2, ceil_mode=True), lambda x: F.avg_pool3d(x, 2, ceil_mode=True), VOLUME)


def adaptive_pools():
    yield layer(dict(op="adaptive_avgpool"), lambda x: F.adaptive_avg_pool2d(x, 1), IMAGE)
    yield layer(dict(op="adaptive_avgpool", out=[3, 5]), lambda x: F.adaptive_avg_pool2d(x, (3, 5)), IMAGE)
    yield layer(dict(op="adaptive_avgpool", out=4), lambda x: F.adaptive_avg_pool1d(x, 4), SERIES)
    yield layer(dict(op="adaptive_avgpool", out=[2, 4, 1]), lambda x: F.adaptive_avg_pool3d(x, (2, 4, 1)), VOLUME)
    yield layer(dict(op="adaptive_maxpool", out=4), lambda x: F.adaptive_max_pool1d(x, 4), SERIES)
    yield layer(dict(op="adaptive_maxpool", out=[3, 5]), lambda x: F.adaptive_max_pool2d(x, (3, 5)), IMAGE)
    yield layer(dict(op="adaptive_maxpool"), lambda x: F.adaptive_max_pool3d(x, 1), VOLUME)


WIDE = 3 * torch.randn(2, 4, 7, generator=torch.Generator().manual_seed(5))  # beyond every knee


def activations():
    plain = dict(relu=F.relu, relu6=F.relu6, silu=F.silu, mish=F.mish, selu=F.selu, sigmoid=torch.sigmoid,
                 hardsigmoid=F.hardsigmoid, hardswish=F.hardswish, logsigmoid=F.logsigmoid, tanh=torch.tanh,
                 tanhshrink=F.tanhshrink, softsign=F.softsign, gelu=F.gelu, elu=F.elu, celu=F.celu,
                 leaky_relu=F.leaky_relu, softplus=F.softplus, softshrink=F.softshrink, hardshrink=F.hardshrink,
                 hardtanh=F.hardtanh)
    for op, function in plain.items():
        yield layer(dict(op=op), lambda x, f=function: f(x), WIDE)
    yield layer(dict(op="softmax"), lambda x: F.softmax(x, -1), WIDE)
    yield layer(dict(op="log_softmax"), lambda x: F.log_softmax(x, -1), WIDE)
    yield layer(dict(op="leaky_relu", slope=0.2), lambda x: F.leaky_relu(x, 0.2), WIDE)
    yield layer(dict(op="elu", alpha=0.7), lambda x: F.elu(x, 0.7), WIDE)
    yield layer(dict(op="celu", alpha=0.7), lambda x: F.celu(x, 0.7), WIDE)
    yield layer(dict(op="gelu", approximate="tanh"), lambda x: F.gelu(x, approximate="tanh"), WIDE)
    yield layer(dict(op="softplus", beta=2.0), lambda x: F.softplus(x, 2.0), WIDE)
    yield layer(dict(op="softshrink", lambd=1.5), lambda x: F.softshrink(x, 1.5), WIDE)
    yield layer(dict(op="hardshrink", lambd=1.5), lambda x: F.hardshrink(x, 1.5), WIDE)
    yield layer(dict(op="hardtanh", min=-2.0, max=0.5), lambda x: F.hardtanh(x, -2.0, 0.5), WIDE)
    yield layer(dict(op="threshold", threshold=0.3, value=-2.0), lambda x: F.threshold(x, 0.3, -2.0), WIDE)
    yield layer(dict(op="prelu"), lambda: nn.PReLU(), WIDE)
    yield layer(dict(op="prelu", per_channel=True), lambda: nn.PReLU(4), WIDE)
    yield layer(dict(op="glu", dim=0), lambda x: F.glu(x, 1), WIDE)
    yield layer(dict(op="glu"), lambda x: F.glu(x), SERIES[:1] + [6])


def resizes():
    yield layer(dict(op="upsample", scale=3), lambda x: F.interpolate(x, scale_factor=3), SERIES)
    yield layer(dict(op="upsample", scale=2, mode="linear"),
                lambda x: F.interpolate(x, scale_factor=2, mode="linear"), SERIES)
    yield layer(dict(op="upsample", size=[11, 13]), lambda x: F.interpolate(x, (11, 13)), IMAGE)
    yield layer(dict(op="upsample", scale=[2, 3], mode="bilinear"),
                lambda x: F.interpolate(x, scale_factor=(2, 3), mode="bilinear"), IMAGE)
    yield layer(dict(op="upsample", size=[10, 5], mode="bilinear", align_corners=True),
                lambda x: F.interpolate(x, (10, 5), mode="bilinear", align_corners=True), IMAGE)
    yield layer(dict(op="upsample", size=[10, 12], mode="bicubic"),
                lambda x: F.interpolate(x, (10, 12), mode="bicubic"), IMAGE)
    yield layer(dict(op="upsample", scale=2), lambda x: F.interpolate(x, scale_factor=2), [2, 2, 3, 4])
    yield layer(dict(op="upsample", size=[3, 5, 4], mode="trilinear"),
                lambda x: F.interpolate(x, (3, 5, 4), mode="trilinear"), [2, 2, 3, 4])
    yield layer(dict(op="pixel_shuffle", factor=2), lambda x: F.pixel_shuffle(x, 2), [8, 3, 5])
    yield layer(dict(op="pixel_unshuffle", factor=2), lambda x: F.pixel_unshuffle(x, 2), [2, 6, 4])
    yield layer(dict(op="pad", pad=[1, 2]), lambda x: F.pad(x, (1, 2)), SERIES)
    yield layer(dict(op="pad", pad=2, value=1.5), lambda x: F.pad(x, (2, 2, 2, 2), value=1.5), IMAGE)
    for mode in ("reflect", "replicate", "circular"):
        yield layer(dict(op="pad", pad=[1, 2, 3, 0], mode=mode), lambda x, m=mode: F.pad(x, (1, 2, 3, 0), m), IMAGE)
    yield layer(dict(op="pad", pad=[1, 0, 2, 1, 0, 3]), lambda x: F.pad(x, (1, 0, 2, 1, 0, 3)), VOLUME)


class SqueezeExcitation(nn.Module):
    """As torchvision.ops.SqueezeExcitation (torchvision 0.26)."""

    def __init__(self, channels, squeeze, activation=F.relu, gate=torch.sigmoid):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, squeeze, 1), nn.Conv2d(squeeze, channels, 1)
        self.activation, self.gate = activation, gate

    def forward(self, x):
        return self.gate(self.fc2(self.activation(self.fc1(F.adaptive_avg_pool2d(x, 1))))) * x


class Scale(nn.Module):
    def __init__(self, size, sizes):
        super().__init__()
        self.weight, self.sizes = nn.Parameter(torch.ones(size)), sizes

    def forward(self, x):
        return x * self.weight.view(self.sizes)


def gates():
    yield layer(dict(op="squeeze_excitation", squeeze=2), lambda: SqueezeExcitation(4, 2), IMAGE)
    yield layer(dict(op="squeeze_excitation", squeeze=3, activation="silu", gate="hardsigmoid"),
                lambda: SqueezeExcitation(4, 3, F.silu, F.hardsigmoid), IMAGE)
    yield layer(dict(op="scale", factor=0.25), lambda x: x * 0.25, SERIES)
    yield layer(dict(op="scale", factor=1.0, learned=True), lambda: Scale(1, (1, 1, 1)), SERIES)
    yield layer(dict(op="scale", factor=1.0, learned=True, dim=0), lambda: Scale(4, (1, 4, 1, 1)), IMAGE)
    yield layer(dict(op="scale", factor=1e-4, learned=True, dim=1), lambda: Scale(11, (1, 1, 11)), SERIES)


def wiring():
    yield layer(dict(op="identity"), lambda x: x * 1, ROW)
    yield layer(dict(op="flatten"), lambda x: x.flatten(1), IMAGE)
    yield layer(dict(op="reshape", shape=[8, -1]), lambda x: x.reshape(-1, 8, 21), IMAGE)
    yield layer(dict(op="permute", dims=[1, 2, 0]), lambda x: x.permute(0, 2, 3, 1), IMAGE)
    yield layer(dict(op="transpose"), lambda x: x.transpose(1, 2), SERIES)
    yield layer(dict(op="transpose", dims=[0, 2]), lambda x: x.transpose(1, 3), IMAGE)
    yield layer(dict(op="add"), lambda x, y, z: x + y + z, SERIES, SERIES, SERIES)
    yield layer(dict(op="add", broadcast=True), lambda x, y: x + y, IMAGE, [4, 1, 1])
    yield layer(dict(op="multiply"), lambda x, y, z: x * y * z, SERIES, SERIES, SERIES)
    yield layer(dict(op="multiply"), lambda x, y: x * y, [4, 1, 1], IMAGE)
    yield layer(dict(op="concat"), lambda x, y: torch.cat((x, y), 1), IMAGE, [2, 7, 6])
    yield layer(dict(op="concat", dim=2), lambda x, y, z: torch.cat((x, y, z), 3), IMAGE, [4, 7, 1], IMAGE)
    yield layer(dict(op="split", parts=2, index=1), lambda x: x.chunk(2, 1)[1], IMAGE)
    yield layer(dict(op="split", sizes=[2, 5, 4], index=1, dim=1), lambda x: x.split((2, 5, 4), 2)[1], SERIES)
    yield layer(dict(op="slice", start=1, stop=8, step=3, dim=1), lambda x: x[:, :, 1:8:3], SERIES)
    yield layer(dict(op="mean", dim=[1, 2]), lambda x: x.mean((2, 3)), IMAGE)
    yield layer(dict(op="mean", dim=0, keepdim=True), lambda x: x.mean(1, keepdim=True), SERIES)
    yield layer(dict(op="mean", dim=0), lambda x: x.mean(1, keepdim=True), ROW)
    yield layer(dict(op="sum", dim=1), lambda x: x.sum(2), SERIES)
    yield layer(dict(op="max", dim=[0, 2]), lambda x: x.amax((1, 3)), IMAGE)


def cases():
    for part in (linears, convolutions, transposed, norms, max_pools, mean_pools, adaptive_pools, activations, resizes,
                 gates, wiring):
        yield from part()
