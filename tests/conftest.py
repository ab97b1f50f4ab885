from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from compiler.tools import find_tool
from compiler.validate import Toolset


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what is compiled now to tests/golden/")


@pytest.fixture(scope="session")
def tools() -> Toolset:
    return Toolset(find_tool("kubeconform", None), find_tool("kustomize", None))


@pytest.fixture(autouse=True)
def _own_interrupts() -> Iterator[None]:
    """Give every test the usual Ctrl-C: one that runs the command in this process changes who handles it."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
