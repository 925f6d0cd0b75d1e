# SPDX-License-Identifier: Apache-2.0
"""Installation into a prefix, and its removal."""

from __future__ import annotations

from pathlib import Path

import pytest
from launching import TOP, read_mpis, run

SCRIPT = TOP / "tools" / "prefix.sh"


@pytest.mark.long
def test_prefix(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "other").touch()
    run([SCRIPT, "install", prefix]).ok()
    doctor = run([prefix / "bin" / "roundelay", "doctor"]).ok().stdout
    for mpi in read_mpis():
        assert f"{mpi.id}: for {mpi.soname}" in doctor
        assert (prefix / "lib" / "roundelay" / mpi.library.name).is_file()
    assert (prefix / "include" / "roundelay" / "roundelay.h").is_file()
    (module,) = prefix.glob("share/modulefiles/roundelay/*")
    assert f"prepend-path PATH {prefix}/bin" in module.read_text()
    assert "@" not in module.read_text()

    assert "roundelay-verify" in (prefix / "share/man/man1/roundelay-verify.1").read_text()
    for completion in (
        "bash-completion/completions/roundelay",
        "zsh/site-functions/_roundelay",
        "fish/vendor_completions.d/roundelay.fish",
    ):
        assert "roundelay" in (prefix / "share" / completion).read_text()

    # Another version over it leaves nothing of the one before.
    module.rename(module.with_name("0.0.1"))
    leftover = prefix / "lib" / "pkgconfig" / "roundelay-mpi39.pc"
    leftover.symlink_to("../../libexec/roundelay/lib/pkgconfig/roundelay-mpi39.pc")
    run([SCRIPT, "install", prefix]).ok()
    assert list(prefix.glob("share/modulefiles/roundelay/*")) == [module]
    assert not leftover.is_symlink()

    run([SCRIPT, "uninstall", prefix]).ok()
    left = [path for path in prefix.rglob("*") if not path.is_dir()]
    assert left == [prefix / "bin" / "other"]


def test_a_prefix_is_an_absolute_path() -> None:
    outcome = run([SCRIPT, "install", "somewhere"])
    assert outcome.returncode != 0
    assert "absolute path" in outcome.stderr
