from __future__ import annotations

import pytest

from compiler.tools import find_tool
from compiler.validate import Toolset


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what is compiled now to tests/golden/")


@pytest.fixture(scope="session")
def tools() -> Toolset:
    return Toolset(find_tool("kubeconform", None), find_tool("kustomize", None))
