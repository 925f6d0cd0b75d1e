# SPDX-License-Identifier: Apache-2.0
"""How fast the links of a simulated network are."""

from __future__ import annotations

from dataclasses import dataclass

from roundelay.units import SECONDS, quantity

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_RATES = {
    **{f"{prefix}bps": scale / 8 for prefix, scale in _PREFIXES.items()},
    **{f"{prefix}Bps": scale for prefix, scale in _PREFIXES.items()},
}


def _bytes_a_second(text: str) -> float:
    """The bytes per second that "10Gbps" (bits) or "12.5GBps" (bytes) means. Raises ValueError."""
    try:
        return quantity(text, _RATES, ("Mbps", "Gbps"))
    except ValueError as error:
        raise ValueError(f"bandwidth {error} (bits), or GBps for bytes") from None


def _seconds(text: str) -> float:
    """The seconds that a text such as "1us" means. Raises ValueError."""
    try:
        return quantity(text, SECONDS, ("ns", "us", "ms"), zero=True)
    except ValueError as error:
        raise ValueError(f"latency {error}") from None


@dataclass(frozen=True)
class Links:
    """The links of a network. All have the same bandwidth and latency, in each direction.

    A message passes one or more of them. Where several ranks share a host, they talk through its
    memory. Raises ValueError for what is no bandwidth or no latency.
    """

    bandwidth: str = "10Gbps"
    latency: str = "1us"
    memory: bool = False

    def __post_init__(self) -> None:
        _bytes_a_second(self.bandwidth)
        _seconds(self.latency)

    @property
    def bytes_a_second(self) -> float:
        return _bytes_a_second(self.bandwidth)

    @property
    def seconds(self) -> float:
        return _seconds(self.latency)

    @property
    def attributes(self) -> str:
        """The XML attributes of a cluster in SimGrid. Copies in a host's memory share no link."""
        loopback = 'loopback_bw="10GBps" loopback_lat="300ns"' if self.memory else ""
        return f'bw="{self.bytes_a_second:.0f}Bps" lat="{self.seconds * 1e9:g}ns" {loopback}'


USUAL = Links()
