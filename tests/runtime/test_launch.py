"""Batch arithmetic and the guards on the number of processes."""

import pytest
from ftruntime.launch import accumulation_steps, require_processes
from ftruntime.stops import RunStopped


@pytest.mark.parametrize(
    ("world", "batch", "micro", "passes"),
    [("1", 8, 4, 2), ("2", 8, 4, 1), ("8", 512, 4, 16), ("3", 9, 3, 1)],
)
def test_passes_of_a_batch(
    monkeypatch: pytest.MonkeyPatch, world: str, batch: int, micro: int, passes: int
) -> None:
    monkeypatch.setenv("WORLD_SIZE", world)
    assert accumulation_steps(batch=batch, micro_batch=micro) == passes


def test_one_process_without_a_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert accumulation_steps(batch=12, micro_batch=3) == 4
    require_processes(1)


@pytest.mark.parametrize(
    ("world", "batch", "micro", "says"),
    [
        (
            "2",
            10,
            4,
            "2 processes x 4 rows of micro batch = 8 rows at a time; the nearest batch "
            "that can is 8 or 16 [FT711]",
        ),
        ("1", 2, 4, "the nearest batch that can is 4, or take a smaller micro_batch"),
    ],
)
def test_a_remainder_is_refused_with_the_nearest_batches(
    monkeypatch: pytest.MonkeyPatch, world: str, batch: int, micro: int, says: str
) -> None:
    monkeypatch.setenv("WORLD_SIZE", world)
    with pytest.raises(RunStopped) as stop:
        accumulation_steps(batch=batch, micro_batch=micro)
    assert says in str(stop.value)


@pytest.mark.parametrize("text", ["", "two", "0", "-1"])
def test_a_world_size_that_is_no_number(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("WORLD_SIZE", text)
    with pytest.raises(RunStopped, match="WORLD_SIZE"):
        accumulation_steps(batch=8, micro_batch=4)


@pytest.mark.parametrize(
    ("world", "count", "nodes", "line"),
    [
        ("1", 8, 1, "torchrun --nproc_per_node 8 job/train.py"),
        ("1", 16, 2, "torchrun --nnodes 2 --nproc_per_node 8 job/train.py"),
        ("2", 1, 1, "python job/train.py"),
    ],
)
def test_another_number_of_processes_gives_the_launch_line(
    monkeypatch: pytest.MonkeyPatch, world: str, count: int, nodes: int, line: str
) -> None:
    monkeypatch.setenv("WORLD_SIZE", world)
    monkeypatch.setattr("sys.argv", ["job/train.py"])
    with pytest.raises(RunStopped) as stop:
        require_processes(count, nodes=nodes)
    assert line in str(stop.value)
