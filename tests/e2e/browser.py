"""Finds a Chromium for the end-to-end tests; run as a program, it installs one where it can."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
"""How the tests start it: without a sandbox (containers have none) and without calling home."""


def find() -> str | None:
    """Return the path of a Chromium: the system's, else the one playwright has downloaded."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


def install() -> None:
    """Install a Chromium from the distribution where that is ours to do, else playwright's."""
    if _is_debian() and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "--quiet"],
            ["apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "chromium"],
        ):
            subprocess.run(command, check=False, env=environment)
    else:
        # Ubuntu's package is a wrapper around a snap, which does not run in containers.
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _is_debian() -> bool:
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def main() -> int:
    """Make sure that there is a browser."""
    if find() is None:
        print("No Chromium found; installing one for the end-to-end tests.", flush=True)
        install()
    if find() is None:
        print(
            "The end-to-end tests need Chromium or Google Chrome. Install one – `apt install chromium`, "
            "`dnf install chromium`, `brew install --cask chromium` – or, with internet access, run "
            f"`{sys.executable} -m playwright install --with-deps chromium`.",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
