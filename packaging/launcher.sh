#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Launcher that a wheel puts into bin: starts the program of its own name in the package dlrun of the same prefix.
# A shell needs 1 ms for it, Python would need more time than dlrun itself.
self=$0
[ -L "$self" ] && self=$(readlink -f "$self")
bin=${self%/*}
for packages in "$bin"/../lib/python3*/site-packages "$bin"/../lib64/python3*/site-packages \
                "$bin"/../lib/python3*/dist-packages "$bin"/..; do
  program=$packages/dlrun/bin/${self##*/}
  [ -x "$program" ] && exec "$program" "$@"
done
echo "${self##*/}: the package dlrun is not beside '$bin'; install the wheel again" >&2
exit 70
