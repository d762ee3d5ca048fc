"""Writes `_sync`, the client without `async`, from `_async`: before each build and each editable installation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What differs between code with and without `async`, in the order of replacement.
WITHOUT_ASYNC = [
    (re.compile(pattern, re.MULTILINE), replacement)
    for pattern, replacement in [
        (r"^import asyncio\n", ""),
        (r"asyncio\.sleep", "time.sleep"),
        (r", with asyncio", ""),
        (r"Awaitable\[(\w+)\]", r"\1"),
        (r"\bAwaitable, ", ""),
        (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
        (r"\bAsync(?=[A-Z])", ""),
        (r"\basync (?=def|for|with)", ""),
        (r"\bawait ", ""),
        (r"__a(iter|enter|exit)__", r"__\1__"),
        (r"\ba(closing|close|iter_bytes|read)\b", r"\1"),
    ]
]


def without_async(text: str) -> str:
    for pattern, replacement in WITHOUT_ASYNC:
        text = pattern.sub(replacement, text)
    return text


def write_sync(package: Path) -> None:
    """Writes only the files that differ, so that a checkout without write access builds once `_sync` is there."""
    sync = package / "_sync"
    sync.mkdir(exist_ok=True)
    texts = {
        source.name: f"# Written by hatch_build.py from _async/{source.name}; do not edit.\n\n"
        + without_async(source.read_text(encoding="utf-8"))
        for source in (package / "_async").glob("*.py")
    }
    for old in sync.glob("*.py"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        target = sync / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8", newline="\n")


class SyncClient(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        package = Path(self.root) / "src" / "firsthand"
        if not (package / "types.py").exists():
            raise FileNotFoundError(f"{package / 'types.py'} is not there: run npm ci in the checkout, which writes it")
        write_sync(package)
