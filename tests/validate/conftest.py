from __future__ import annotations

import pytest

from compiler.tools import find_tool
from compiler.validate import Toolset


@pytest.fixture(scope="session")
def tools() -> Toolset:
    return Toolset(find_tool("kubeconform", None), find_tool("kustomize", None))
