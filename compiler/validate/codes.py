"""The rule codes of validation."""

from typing import Final

BREAKS_SCHEMA: Final = "GPU921"
NO_SCHEMA: Final = "GPU922"
DAMAGED_SCHEMA: Final = "GPU923"
NOT_CHECKED: Final = "GPU924"
UNREADABLE: Final = "GPU925"
BUILD_FAILED: Final = "GPU931"
REACHES_OUT: Final = "GPU932"
BUILD_DIFFERS: Final = "GPU933"
TOOL_FAILED: Final = "GPU941"
NO_STAGING: Final = "GPU942"
