"""One episode from start to end, over both transports and in both protocol eras."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.server.conftest import ERAS, TASK, Session, Toy, text_of

pytestmark = pytest.mark.anyio

TOOLS = Path(__file__).with_name("tool_surface.json")
SECRET = "secret_name"


@asynccontextmanager
async def connected(toy: Toy, transport: str, mode: str) -> AsyncIterator[Session]:
    if transport == "stdio":
        async with toy.stdio(mode) as session:
            yield session
    else:
        toy.serve()
        async with toy.http(mode) as session:
            yield session


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_an_agent_goes_through_all_stages_and_gets_a_reward_for_each(
    toy: Toy, transport: str, mode: str
) -> None:
    async with connected(toy, transport, mode) as session:
        assert [task["task_id"] for task in (await session.ok("list_tasks"))["tasks"]] == [TASK]
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        draft = await session.ok("submit", stage="draft")
        assert (draft["status"], draft["reward"], draft["next_stage"]) == ("graded", 0.25, "lint")
        lint = await session.ok("run_lint")
        assert (lint["status"], [problem["path"] for problem in lint["problems"]]) == (
            "findings",
            ["toy/b.py", "toy/c.py", "toy/d.py"],
        )
        await session.ok("write_file", path="toy/b.py", content="DONE\n")
        assert (await session.ok("submit", stage="lint"))["reward"] == 0.5
        tests = await session.ok("run_tests_visible", tests=["tests/test_toy.py::test_3"])
        assert (tests["status"], tests["passed"], tests["failed"]) == ("finished", 1, 0)
        await session.ok("write_file", path="toy/c.py", content="DONE\n")
        last = await session.ok("submit", stage="test")
        assert last["rewards"] == {"draft": 0.25, "lint": 0.5, "test": 0.75}
        assert "next_stage" not in last
        status = await session.ok("episode_status")
        assert (status["state"], status["stage"], status["submitted"]) == (
            "closed",
            "closed",
            ["draft", "lint", "test"],
        )
        assert "is closed" in await session.error("list_files")


async def test_a_stage_without_a_tool_names_the_stage_that_opens_it(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        assert "opens with stage 'lint'; the open stage is 'draft'" in await session.error("run_lint")
        assert "opens with stage 'test'" in await session.error("run_tests_visible")
        assert "the open stage is 'draft'" in await session.error("submit", stage="test")
        assert "'stage'" in await session.error("submit", stage="final")


async def test_the_same_stage_again_gives_the_same_verdict(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        first = await session.ok("submit", stage="draft")
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        assert await session.ok("submit", stage="draft") == first
        assert await session.ok("get_run", run_id=first["run_id"]) == first


async def test_an_unchanged_submission_takes_over_its_grade_without_a_new_grading(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        await session.ok("submit", stage="draft")
        again = await session.ok("submit", stage="lint")
        assert again["rewards"] == {"draft": 0.25, "lint": 0.25}
        assert toy.begun("grade") == 1
    log = (toy.store / "grader.log").read_text()
    assert '"reused": true' in log


@pytest.mark.parametrize(("content", "gradings"), [("DONE\n", 2), ("\n", 1)])
async def test_what_can_be_forged_by_luck_is_graded_again_at_each_stage(
    toy: Toy, content: str, gradings: int
) -> None:
    """Of a weak module a pass is not kept; a failure is, for nobody would hand it in again to lose again."""
    toy.control.mkdir()
    (toy.control / "weak").touch()
    async with toy.stdio() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content=content)
        draft = await session.ok("submit", stage="draft")
        lint = await session.ok("submit", stage="lint")
        assert lint["reward"] == draft["reward"]
    assert toy.begun("grade") == gradings


async def test_the_last_stage_says_whether_the_tree_builds_itself_and_pays_nothing_for_it(toy: Toy) -> None:
    async with toy.stdio(KAIJU_REWARDS="final") as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        first = await session.ok("submit", stage="draft")
        assert "builds_itself" not in first
        await session.ok("submit", stage="lint")
        await session.ok("write_file", path="pyproject.toml", content="nothing")
        last = await session.ok("submit", stage="test")
        assert last["builds_itself"] == {"outcome": "no", "cause": "no project"}
        assert last["reward"] == 0.25
        assert [entry["path"] for entry in last["not_taken"]] == ["pyproject.toml"]
        assert await session.ok("get_run", run_id=last["run_id"]) == last
    assert (toy.begun("grade"), toy.begun("own-build")) == (1, 1)
    assert '"builds_itself": {"outcome": "no"' in (toy.store / "grader.log").read_text()


async def test_an_own_build_that_crashes_takes_nothing_from_the_verdict(toy: Toy) -> None:
    toy.control.mkdir()
    (toy.control / "fault-own-build").touch()
    async with toy.stdio() as session:
        await session.start()
        for stage in ("draft", "lint", "test"):
            result = await session.ok("submit", stage=stage)
        assert (result["status"], result["reward"]) == ("graded", 0.0)
        assert result["builds_itself"] == {
            "outcome": "not_measured",
            "cause": "the build was not carried out",
        }


async def test_second_opinions_follow_the_last_verdict_and_only_the_graders_log_has_them(toy: Toy) -> None:
    toy.hold("opinions")
    toy.serve(KAIJU_SECOND_OPINIONS="1")
    async with toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        for stage in ("draft", "lint"):
            assert (await session.ok("submit", stage=stage))["reward"] == 0.25
        last = await session.raw("submit", stage="test")
        await toy.until_begun("opinions")
        assert last.structured_content["reward"] == 0.25
        toy.release("opinions")
        with anyio.fail_after(30):
            while '"event": "second opinions"' not in (toy.store / "grader.log").read_text():  # noqa: ASYNC110
                await anyio.sleep(0.05)
        again = await session.raw("get_run", run_id=last.structured_content["run_id"])
        assert again.structured_content == last.structured_content
        assert SECRET not in text_of(again)
    assert toy.begun("opinions") == 1
    assert f'{SECRET}.py passes", "suspicious": true' in (toy.store / "grader.log").read_text()


async def test_second_opinions_that_crash_take_nothing_from_the_verdict(toy: Toy) -> None:
    toy.control.mkdir()
    (toy.control / "fault-opinions").touch()
    toy.serve(KAIJU_SECOND_OPINIONS="1")
    async with toy.http() as session:
        await session.start()
        for stage in ("draft", "lint", "test"):
            result = await session.ok("submit", stage=stage)
        await toy.until_begun("opinions")
        assert (await session.ok("get_run", run_id=result["run_id"]))["status"] == "graded"
        await session.start()
    assert SECRET not in toy.stderr


async def test_without_the_setting_nobody_asks_for_second_opinions(toy: Toy) -> None:
    async with toy.stdio() as session:
        await session.start()
        for stage in ("draft", "lint", "test"):
            await session.ok("submit", stage=stage)
    assert toy.begun("opinions") == 0


async def test_a_library_that_does_not_build_is_told_as_such(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        await session.start()
        await session.ok("write_file", path="toy/a.py", content="BROKEN\n")
        result = await session.ok("submit", stage="draft")
        assert (result["reward"], result["cause"]) == (0.0, "the library does not build: no test could run")


async def test_nothing_that_names_a_held_out_test_reaches_the_agent(toy: Toy) -> None:
    toy.serve()
    async with toy.http() as session:
        await session.start()
        await session.ok("write_file", path="tests/heldout/test_secret_name.py", content="x")
        answers = [await session.raw("submit", stage="draft")]
        await session.ok("delete_file", path="tests/heldout/test_secret_name.py")
        (toy.control / "fault").touch()
        await session.ok("write_file", path="toy/a.py", content="DONE\n")
        answers.append(await session.raw("submit", stage="lint"))
        answers += [await session.raw("episode_status"), await session.raw("list_tasks")]
        assert [SECRET in answer.model_dump_json() for answer in answers[1:]] == [False] * 3
        assert answers[1].structured_content is not None
        assert answers[1].structured_content["status"] == "infra_error"
        assert "reward" not in answers[1].structured_content
        # Told of its own file, as it named it, and of nothing else.
        assert text_of(answers[0]).count(SECRET) == 1
    assert SECRET not in toy.stderr
    assert SECRET in (toy.store / "grader.log").read_text()
    assert (toy.store / "grader.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("visibility", "draft", "final"), [("final", "hidden", "graded"), ("none", "hidden", "hidden")]
)
async def test_rewards_are_shown_as_far_as_the_setting_goes(
    toy: Toy, visibility: str, draft: str, final: str
) -> None:
    async with toy.stdio(KAIJU_REWARDS=visibility) as session:
        await session.start()
        first = await session.ok("submit", stage="draft")
        assert (first["status"], first["rewards"]) == (draft, {})
        assert not {"reward", "modules_passed", "modules_total", "cause"} & set(first)
        await session.ok("submit", stage="lint")
        last = await session.ok("submit", stage="test")
        assert last["status"] == final
        assert set(last["rewards"]) == ({"test"} if final == "graded" else set())


async def test_abandoning_ends_an_episode_for_good(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        episode_id = await session.start()
        assert (await session.ok("abandon"))["state"] == "abandoned"
        assert "is abandoned" in await session.error("write_file", path="a", content="")
        assert (await session.ok("episode_status"))["state"] == "abandoned"
        assert not (shared_toy.store / "episodes" / episode_id).exists()


async def test_the_tool_surface_is_the_documented_one(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        tools = (await session.client.list_tools()).tools
    names = [tool.name for tool in tools]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,31}", name) for name in names)
    assert not {"reset", "step", "state", "close", "verify", "seed_session"} & set(names)
    assert all(tool.description and tool.annotations and tool.title for tool in tools)
    surface = {
        tool.name: {
            "arguments": {
                name: schema.get("default", "required")
                for name, schema in tool.input_schema["properties"].items()
            },
            "result": sorted(tool.output_schema["properties"]) if tool.output_schema else [],
        }
        for tool in tools
    }
    assert surface == json.loads(TOOLS.read_text())


async def test_the_documentation_names_every_tool_and_argument(shared_toy: Toy) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools.md").read_text()
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for name, surface in json.loads(TOOLS.read_text()).items():
        missing = [
            argument
            for argument in [*surface["arguments"], *surface["result"]]
            if argument != "episode_id"
            and f"`{argument}" not in rows[name]
            and f"{argument}" not in rows[name]
        ]
        assert not missing, f"docs/tools.md, {name}: {missing}"


async def test_specifications_are_resources_and_a_prompt_says_what_to_do(shared_toy: Toy) -> None:
    async with shared_toy.http() as session:
        listed = await session.client.read_resource("catalog://tasks")
        assert TASK in listed.model_dump_json()
        page = await session.client.read_resource(f"spec://{TASK}/api.md")
        assert "def done" in page.model_dump_json()
        prompt = await session.client.get_prompt("solve", {"task_id": TASK})
        assert "start_task" in prompt.model_dump_json()
