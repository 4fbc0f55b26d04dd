# SPDX-License-Identifier: Apache-2.0
"""mcp_client.py DLRUN MODE REVISION: a session of the real client in a folder that has the study `first`, by mcp_test.py."""
import asyncio
import subprocess
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

DLRUN, MODE, REVISION = sys.argv[1:]
READING = {"list_studies", "study_status", "report", "query", "query_tables", "study_file", "show_trial", "explain_trial",
           "trial_logs", "check_study", "study_keys", "help"}


def server(*options):
    return stdio_client(StdioServerParameters(command=DLRUN, args=["mcp", *options]))


async def read():
    async with Client(server(), mode=MODE) as client:
        assert client.protocol_version == REVISION, client.protocol_version
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == READING, set(tools)
        assert tools["query"].input_schema["required"] == ["sql"]
        answer = await client.call_tool("query", {"studies": ["first"], "sql": "select count(*), min(objective) from trials"})
        (count, best), = answer.structured_content["tables"][0]["rows"]
        shown = subprocess.run([DLRUN, "report", "-q", "first", "--sql", "select min(objective) from trials"], capture_output=True,
                               text=True, check=True).stdout
        assert count >= 12 and abs(best - float(shown)) < 1e-12, (count, best, shown)
        refused = await client.call_tool("enqueue_trial", {"study": "first", "values": {"x1": 0.5}})
        assert refused.is_error and "right to propose" in refused.structured_content["error"]
        wrong = await client.call_tool("report", {"study": "frist"})
        assert wrong.is_error and "frist" in wrong.structured_content["error"], wrong
        try:
            await client.call_tool("no_such_tool", {})
            raise AssertionError("a tool that is not there was called")
        except MCPError as fault:
            assert fault.code == -32602, fault


async def many_at_once():
    async with Client(server(), mode=MODE) as client:
        answers = await asyncio.gather(*(client.call_tool("report", {"study": "first", "top": i + 1}) for i in range(12)))
        assert [len(a.structured_content["tables"][0]["rows"]) for a in answers] == list(range(1, 13))


async def start():
    name = f"started-{MODE}"
    async with Client(server("--allow", "start", "--max-trials", "4"), mode=MODE) as client:
        values = {"x1": 0.5, "x2": {"legacy": 0.125, "auto": 0.25}.get(MODE, 0.5)}
        proposed = await client.call_tool("enqueue_trial", {"study": "first", "values": values})
        assert not proposed.is_error and proposed.structured_content["note"].startswith("agent mcp "), proposed
        started = await client.call_tool("start_study", {"file": "second.yaml", "set": [f"study={name}"], "workers": 1})
        assert not started.is_error and "4 trials" in started.structured_content["limits"], started
        for _ in range(600):
            status = await client.call_tool("study_status", {"study": name})
            if not status.is_error and "finished" in status.structured_content["tables"][0]["rows"][0]:
                break
            await asyncio.sleep(0.05)
        trials = await client.call_tool("query", {"studies": [name], "sql": "select count(*) from trials"})
        assert trials.structured_content["tables"][0]["rows"] == [[4]], trials


async def lifetime():
    """A study outlives the server that started it, and a later session stops it."""
    rights = "--allow", "start", "--allow", "programs"
    async with Client(server(*rights), mode=MODE) as client:
        started = await client.call_tool("start_study", {"file": "slow.yaml", "workers": 1})
        assert not started.is_error, started
        again = await client.call_tool("start_study", {"file": "slow.yaml", "workers": 1})
        assert again.is_error and again.structured_content["error"] == "'slow' runs already", again
    state = subprocess.run([DLRUN, "status", "slow", "--format", "csv"], capture_output=True, text=True, check=True).stdout
    assert ",running," in state.splitlines()[1].replace("slow,", ",", 1), state
    async with Client(server(*rights), mode=MODE) as client:
        stopped = await client.call_tool("stop_study", {"study": "slow"})
        assert stopped.structured_content["was_running"], stopped
        for _ in range(600):
            stopped = await client.call_tool("stop_study", {"study": "slow"})
            if not stopped.is_error and not stopped.structured_content["was_running"]:
                return
            await asyncio.sleep(0.05)
        raise AssertionError("the study does not end")


async def main():
    await read()
    await many_at_once()
    await start()
    if MODE == "legacy":
        await lifetime()
    print("all as expected")


asyncio.run(main())
