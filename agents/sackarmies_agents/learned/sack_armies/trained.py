"""The trained General that comes with the package: a checkpoint, and its model card beside it."""

from __future__ import annotations

from pathlib import Path

CHECKPOINT = Path(__file__).parent / "trained.safetensors"
