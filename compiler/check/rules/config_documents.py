"""The plugin's configuration holds several YAML documents.

What it does: refuses a configuration with more than one document.

Why it fails at run time: the plugin reads the first and drops the rest without a word (sigs.k8s.io/yaml, Unmarshal).

How to mend it: keep one document; profiles are entries of their own in the ConfigMap.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding


def _check(config: PluginConfig) -> Iterator[Finding]:
    if config.documents > 1:
        yield Finding(
            f"{config.what} holds {config.documents} YAML documents: the plugin reads the first and drops the rest",
            config.place(()),
            "keep one document, and make each profile an entry of its own",
        )


RULE = ConfigRule("GPU313", "config-documents", _check)
