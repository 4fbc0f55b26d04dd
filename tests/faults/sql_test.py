# SPDX-License-Identifier: Apache-2.0
"""SQL queries of users that are slow within one step of SQLite's virtual machine, where no deadline of SQLite is looked at.
DLRUN_FAULTS=long generates a hundred and measures each."""
import os
import random
import subprocess
import time
import unittest

from support import DEADLINE, FUNCTION_STUDY, Folder

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
IS_SANITIZED = os.environ.get("DLRUN_SANITIZED") == "1"
LIMIT = 1                           # seconds, --timeout
GRACE = 1 if IS_LONG else 20        # seconds beyond it; a short run shares its machine, and a query takes more than a minute
MOST_MEMORY = 220 << 10             # kilobytes of the larger process; the other is small then, so both stay below 300 MB
SEED = int(os.environ.get("DLRUN_SEED", "7"))

# Each takes a minute or more where nothing stops it. {w} is a width near the largest int, {n} a length below the limit.
SLOW = ("select length(printf('%.*c', {w}, 'x'))",
        "select sum(length(printf('%.{w}c', 'x'))) from trials",
        "select count(*) from trials where printf('%.*c', {w}, state) > 'a'",
        "select trial from trials order by printf('%.{w}c', state) limit 1",
        "select max(instr(s || 'b', s || 'c')) from (select printf('%.{n}c', 'a') s), trials a, trials b, trials c",
        "select sum(length(replace(s, 'a', 'bb'))) from (select printf('%.{n}c', 'a') s), trials a, trials b, trials c",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n where printf('%.{w}c', i) is null")
LARGE = {"select " + ", ".join(f"a.trial + {i} c{i}" for i in range(100)) + " from trials a, trials b, trials c limit 10000": "",
         "select printf('%.2000c', 'x') from trials a, trials b, trials c limit 10000": "gives more than 16 MiB",
         "with recursive n(i) as (select 1 union all select i + 1 from n limit 1000) "
         "select printf('%.900000c', 'x') || i s from n order by s": "needs more than 100 MiB"}


def slow_query(random):
    return random.choice(SLOW).format(w=random.randint(2**31 - 2**24, 2**31 - 1), n=random.randint(300_000, 450_000))


class SlowQueries(Folder):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.tune(self.write(FUNCTION_STUDY), self.folder / "store").returncode, 0)

    def ask_sql(self, statement, limit=LIMIT):
        """Exit code, seconds, kilobytes of the largest process, standard error."""
        process = self.start("report", "--store", "store", "--timeout", limit, "--sql", statement, "--format", "json",
                             stdout=subprocess.DEVNULL)
        began = time.monotonic()
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, time.monotonic() - began, usage.ru_maxrss, error

    def test_a_query_ends_at_its_limit_and_within_its_memory(self):
        chance = random.Random(SEED)
        for statement in [slow_query(chance) for _ in range(100)] if IS_LONG else [q.format(w=2**31 - 1, n=450_000) for q in SLOW[:4]]:
            with self.subTest(statement):
                code, seconds, kilobytes, error = self.ask_sql(statement)
                self.assertEqual(code, 2, error)
                self.assertIn("the query took longer than 1 s", error)
                self.assertLess(seconds, LIMIT + GRACE)
                if not IS_SANITIZED:
                    self.assertLess(kilobytes, MOST_MEMORY)

    def test_a_result_is_bounded_by_bytes_and_memory(self):
        for statement, message in LARGE.items():
            with self.subTest(statement[:60]):
                code, _, kilobytes, error = self.ask_sql(statement, DEADLINE)
                self.assertEqual(code, 2 if message else 0, error)
                self.assertIn(message, error)
                if not IS_SANITIZED:
                    self.assertLess(kilobytes, MOST_MEMORY)


if __name__ == "__main__":
    unittest.main()
