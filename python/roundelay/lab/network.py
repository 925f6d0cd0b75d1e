# SPDX-License-Identifier: Apache-2.0
"""The commands that make bridges, links and nodes, and that shape every link in both directions.

A plain token bucket would let the acknowledgements of one direction wait behind the data of the
other: a full-duplex exchange then takes up to 2.8 times as long as the link allows. So packets that
carry nothing go first.
"""

from __future__ import annotations

from roundelay.lab.description import HEAD, MTU, Lab, address, bridge, port

ETHERNET_HEADER = 14
BURST = 2 * (MTU + ETHERNET_HEADER)
# The length in the IP header is below 128.
NO_DATA = "match u16 0x0000 0xff80 at 2"


def shaping(device: str, rate: int) -> list[str]:
    def shaped(parent: str, name: str, share: int, priority: str) -> str:
        buckets = f"burst {BURST} cburst {BURST} quantum {MTU + ETHERNET_HEADER}"
        return (
            f"tc class add dev {device} parent {parent} classid {name} "
            f"htb rate {share}bit ceil {rate}bit {buckets}{priority}"
        )

    first = rate // 10
    return [
        f"ethtool -K {device} tso off gso off gro off",
        f"tc qdisc add dev {device} root handle 1: htb default 20",
        shaped("1:", "1:1", rate, ""),
        shaped("1:1", "1:10", first, " prio 0"),
        shaped("1:1", "1:20", rate - first, " prio 1"),
        f"tc filter add dev {device} parent 1: protocol ip prio 1 u32 {NO_DATA} flowid 1:10",
    ]


def no_ipv6() -> str:
    """The command that turns IPv6 off, whose own messages would use the slow links."""
    file = "/proc/sys/net/ipv6/conf/{}/disable_ipv6"
    return " ".join(
        f"if [ -e {file.format(which)} ]; then echo 1 > {file.format(which)}; fi;"
        for which in ("all", "default")
    ).rstrip(";")


def switches(lab: Lab) -> list[str]:
    """The bridges, in the network of the launcher, which stands at the first site."""
    commands = [no_ipv6(), "ip link set lo up"]
    for site in range(len(lab.sites)):
        name = bridge(site)
        commands += [f"ip link add {name} mtu {MTU} type bridge", f"ip link set {name} up"]
    return [*commands, f"ip address add {HEAD}/24 dev {bridge(0)}"]


def link(lab: Lab, node: int, pid: int) -> list[str]:
    """A link between a node, which is the process `pid`, and its bridge."""
    name = port(node)
    return [
        f"ip link add {name} mtu {MTU} type veth peer name eth0 mtu {MTU} netns {pid}",
        f"ip link set {name} master {bridge(lab.site_of(node))}",
        *shaping(name, lab.rate),
        f"ip link set {name} up",
    ]


def join(device: str, site: int) -> list[str]:
    """An end of the WAN at its bridge."""
    return [f"ip link set {device} mtu {MTU} master {bridge(site)}", f"ip link set {device} up"]


def alone(hostname: str) -> list[str]:
    """What a node does before its link is there."""
    return [
        f"hostname {hostname}",
        "mount -t sysfs sysfs /sys",  # it shows the network devices of who mounts it
        "mount -t tmpfs tmpfs /dev/shm",
        no_ipv6(),
        "ip link set lo up",
    ]


def attached(lab: Lab, node: int) -> list[str]:
    """What a node does once its link is there."""
    return [
        *shaping("eth0", lab.rate),
        "echo 0 > /proc/sys/net/ipv4/tcp_slow_start_after_idle",
        f"ip address add {address(node)}/24 dev eth0",
        "ip link set eth0 up",
    ]
