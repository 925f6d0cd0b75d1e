# SPDX-License-Identifier: Apache-2.0
"""What is raised where something that was asked for cannot be run on this machine."""

from __future__ import annotations


class CannotRun(Exception):
    """Says why, and what would help."""
