#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tests that took longest, from the JUnit file that `ctest --output-junit` writes.

  slowest.py FILE [COUNT]
"""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    times = [(float(case.get("time", 0)), case.get("name")) for case in ElementTree.parse(sys.argv[1]).iter("testcase")]
    print(f"\nThe slowest {min(count, len(times))} of {len(times)} tests, which took {sum(t for t, _ in times):.0f} s in all:")
    for seconds, name in sorted(times, reverse=True)[:count]:
        print(f"{seconds:8.1f} s  {name}")


if __name__ == "__main__":
    main()
