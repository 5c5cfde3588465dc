# SPDX-License-Identifier: Apache-2.0
"""Files of Debian's packages, of this architecture or another: downloaded and unpacked, not installed.

Needs no rights, and leaves the system's lists of packages alone. Called by machine.py.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path


class Unavailable(Exception):
    """Something cannot be had here."""


def cache_folder():
    return Path(os.environ.get("HEDDLE_CACHE") or Path.home() / ".cache/heddle") / "guest"


def _apt_get(scratch, settings, *arguments):
    return subprocess.run(["apt-get", "-q", *settings, *arguments], cwd=scratch, text=True,
                          capture_output=True)


def _own_lists(scratch):
    """Settings for lists in `scratch`, by anybody."""
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State::Lists={scratch}/lists", "-o", f"Dir::Cache={scratch}/cache"]


def _download(scratch, settings, package, exact):
    """The package in `scratch`, or None and what apt-get said. `exact`: a pattern for its name, if
    `package` is one that depends on the newest of those."""
    name, said = package, ""
    if exact:
        planned = _apt_get(scratch, settings, "install", "--simulate", "--no-install-recommends",
                           "--reinstall", package)
        found = re.findall(rf"(?m)^Inst ({exact})", planned.stdout)
        if not found:
            return None, planned.stderr
        name = found[0]
    done = _apt_get(scratch, settings, "download", name)
    return next(scratch.glob("*.deb"), None), said + done.stderr


def _ways(scratch, architecture):
    """Settings to try one after another: the system's lists, if it has new ones, and own lists."""
    base = ["-o", "APT::Sandbox::User=root"]
    own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
    if architecture == own:
        yield base
        settings = [*base, *_own_lists(scratch)]
    else:  # as on a system of that architecture where nothing is installed
        (scratch / "status").touch()
        settings = [*base, *_own_lists(scratch), "-o", f"Dir::State::status={scratch}/status",
                    "-o", f"APT::Architecture={architecture}",
                    "-o", f"APT::Architectures={architecture}"]
    _apt_get(scratch, settings, "update")
    yield settings


def fetch(package, pattern, folder, architecture, exact=""):
    """The file of the package that fits `pattern`, in `folder`, where it stays. Raises Unavailable."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable(f"no apt-get and dpkg-deb to get {package} with")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        scratch = Path(name)
        for settings in _ways(scratch, architecture):
            file, said = _download(scratch, settings, package, exact)
            if file:
                break
        else:
            raise Unavailable(f"{package} cannot be downloaded: "
                              + (said.strip().splitlines() or ["apt-get said nothing"])[-1])
        subprocess.run(["dpkg-deb", "--extract", file, scratch / "unpacked"], check=True)
        wanted = next((scratch / "unpacked").glob(pattern))
        return wanted.rename(folder / wanted.name)
