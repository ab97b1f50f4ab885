"""The base of every input model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


def _camel(name: str) -> str:
    """Spell a field as Kubernetes would: `device_id_strategy` is `deviceIDStrategy`, not `deviceIdStrategy`."""
    return to_camel(name).replace("Id", "ID") if "_id" in name else to_camel(name)


def _drop_titles(schema: dict[str, Any]) -> None:
    """Take the titles out of a JSON Schema: they repeat the field's name and clutter the editor's pop-up."""
    schema.pop("title", None)
    for prop in schema.get("properties", {}).values():
        prop.pop("title", None)


class Mistake(ValueError):
    """Raised by a validator that knows what to do about it; any other ValueError gets the field's description."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.help = help_


class Model(BaseModel):
    """Frozen, strict, and closed: an unknown key is an error, and `True` is not 1."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=_camel,
        validate_by_name=False,
        validate_by_alias=True,
        serialize_by_alias=True,
        json_schema_extra=_drop_titles,
    )
