from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from compiler.tools import find_tool
from compiler.validate import Toolset

# A busy machine is no reason to fail. HYPOTHESIS_PROFILE=nightly looks seventeen times as far.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", settings.get_profile("default"), max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
