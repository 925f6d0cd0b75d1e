# SPDX-License-Identifier: Apache-2.0
"""What a lab needs of the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from roundelay.cannot_run import CannotRun

# Tool -> Debian's package.
TOOLS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "ethtool": "ethtool",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "mount": "mount",
    "hostname": "hostname",
}
TUN = Path("/dev/net/tun")


def search_path() -> str:
    """PATH, and the folders of the system's own tools, which users may not have in it."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def namespaces() -> list[str]:
    """The command that runs another in a network, and a world of processes, of its own.

    When its first process ends, the kernel kills the others and removes all that was made there.
    """
    return [
        "unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
        *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]),
    ]  # fmt: skip


def check(wan: bool) -> None:
    """Raises CannotRun."""
    missing = [tool for tool in TOOLS if shutil.which(tool, path=search_path()) is None]
    if missing:
        packages = dict.fromkeys(TOOLS[tool] for tool in missing)
        raise CannotRun(
            f"the lab needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} "
            f"missing; on Debian or Ubuntu: apt-get install {' '.join(packages)}"
        )
    tried = subprocess.run(
        [*namespaces(), "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**os.environ, "PATH": search_path()}, check=False,
    )  # fmt: skip
    if tried.returncode != 0:
        who = "root" if os.geteuid() == 0 else "a user other than root"
        cure = (
            "in a container, start it with --privileged"
            if os.geteuid() == 0
            else "be root (e.g. with sudo -E), or ask for user namespaces"
        )
        raise CannotRun(
            f"the kernel does not allow {who} to make namespaces ({tried.stderr.strip()}): {cure}"
        )
    if wan and not os.access(TUN, os.R_OK | os.W_OK):
        raise CannotRun(
            f"a WAN needs {TUN}, which is missing or not accessible: modprobe tun; in a container, "
            f"start it with --device {TUN}"
        )
