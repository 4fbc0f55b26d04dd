# SPDX-License-Identifier: Apache-2.0
# The script of studies whose fault is another one.
