# SPDX-License-Identifier: Apache-2.0
"""Which words of a command line belong to an option, for launchers and programs that run others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Syntax:
    """How a program reads its options. An option that is not named here takes no further word."""

    valued: frozenset[str] = frozenset()  # a value follows as a word of its own
    two: frozenset[str] = frozenset()  # two values follow
    joined: frozenset[str] = frozenset()  # of `two`: NAME=VALUE is one word, too
    clustered: bool = False  # -ln4 is -l -n 4, as getopt reads it
    contexts: bool = False  # a colon separates several programs, each with options of its own

    def values(self, words: Sequence[str], at: int) -> int:
        """How many of the words that follow the option at this place are its values."""
        word = words[at]
        if word in self.joined and "=" in "".join(words[at + 1 : at + 2]):
            return 1
        if word in self.two:
            return 2
        if word in self.valued:
            return 1
        if self.clustered and word[1:2] != "-":
            for place, letter in enumerate(word[1:], 1):
                if f"-{letter}" in self.valued:
                    return 1 if place == len(word) - 1 else 0
        return 0


def _syntax(
    valued: str = "",
    two: str = "",
    joined: str = "",
    *,
    clustered: bool = False,
    contexts: bool = False,
) -> Syntax:
    return Syntax(
        frozenset(valued.split()),
        frozenset(two.split()),
        frozenset(joined.split()),
        clustered,
        contexts,
    )


# Launchers of Open MPI and MPICH. Their options have one dash or two.
MPIEXEC = _syntax(
    "-launcher --launcher -launcher-exec --launcher-exec -localhost --localhost "
    "-wdir --wdir -wd --wd -path --path --map-by -map-by --bind-to -bind-to --rank-by -rank-by "
    "-prefix --prefix -host --host -hosts --hosts -H -hostfile --hostfile -f --f "
    "-machinefile --machinefile -n -np --np --n -c -x --x --output-filename -ppn --ppn "
    "-perhost --perhost -N --npernode -npernode --npersocket -npersocket --app -app "
    "-configfile --configfile -rmk --rmk -iface --iface -membind --membind -umask --umask "
    "-genvlist --genvlist -envlist --envlist -tune --tune -am --am -rf --rankfile -rankfile "
    "-arch -outfile-pattern -errfile-pattern -prepend-pattern -soft --report-uri "
    "-ompi-server --ompi-server --personality --pmixmca-file --output --timeout --xterm",
    "-mca --mca -gmca --gmca --prtemca --pmixmca -genv --genv -env --env",
    "-genv --genv -env --env",
    contexts=True,
)
SRUN = _syntax(
    "-A --account --acctg-freq --bb --bbf --bcast-exclude -b --begin -D --chdir -M --clusters "
    "--cluster-constraint --comment -C --constraint --container --container-id -S --core-spec "
    "--cores-per-socket --cpu-bind --cpu-freq --cpus-per-gpu -c --cpus-per-task --deadline "
    "--delay-boot -d --dependency -m --distribution --epilog -e --error -x --exclude --export "
    "--export-file --extra -B --extra-node-info --gid --gpu-bind --gpu-freq -G --gpus "
    "--gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags --het-group "
    "--pack-group --hint -i --input -J --job-name --jobid -L --licenses --mail-type --mail-user "
    "--mcs-label --mem --mem-bind --mem-per-cpu --mem-per-gpu --mincpus --mpi --msg-timeout "
    "--network -F --nodefile -w --nodelist -N --nodes -n --ntasks --ntasks-per-core "
    "--ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --ntasks-per-board --open-mode "
    "-o --output -p --partition --power --prefer --priority --profile --prolog -q --qos "
    "-r --relative --reservation --signal --slurmd-debug --sockets-per-node --switches "
    "--task-epilog --task-prolog --thread-spec -T --threads --threads-per-core -t --time "
    "--time-min --tmp --treewidth --tres-bind --tres-per-task --uid -W --wait --wckey",
    clustered=True,
    contexts=True,
)
FLUX = _syntax(
    "-n --ntasks -c --cores-per-task -g --gpus-per-task -N --nodes --cores --gpus-per-node "
    "--tasks-per-node --tasks-per-core -t --time-limit -B --bank -q --queue --urgency --job-name "
    "-o --setopt --setattr -S --add-file --begin-time --dependency --requires --flags --input "
    "--output --error --cwd --env --env-remove --env-file --rlimit --conf --signal --taskmap "
    "--wait-event --shell-opt --requires",
    clustered=True,
)
APRUN = _syntax(
    "-a --architecture -cc --cpu-binding -cp --cpu-binding-file -d --cpus-per-pe -D --debug "
    "-e --environment-override -F --access-mode -j --cpus-per-cu -L --node-list -m --memory-per-pe "
    "-n --pes -N --pes-per-node -p --protection-domain -P --pipes -r --specialized-cpus "
    "-S --pes-per-numa-node -sl --numa-node-list -sn --numa-nodes-per-node -t --cpu-time-limit "
    "--mpmd-env -w --wdir",
    contexts=True,
)
JSRUN = _syntax(
    "-n --nrs -a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -r --rs_per_host "
    "-K --rs_per_socket -p --np -b --bind -d --launch_distribution -l --latency_priority "
    "-m --memory_per_rs -E --env -F --env_eval -f --appfile -U --erf_input -h --chdir "
    "-M --smpiargs -t --stdio_input -o --stdio_stdout -k --stdio_stderr -e --stdio_mode "
    "-x --exclude_hosts -X --exit_on_error -T --task_counts",
    clustered=True,
)

# Programs that run the command that follows their options. What stands between the two and is no
# program is an operand of theirs: a duration, a mask of cores, a variable.
RUNNERS = {
    "chrt": _syntax("-T -P -D", clustered=True),
    "env": _syntax("-u --unset -C --chdir -S --split-string"),
    "gdb": _syntax("-ex -x -d -iex"),
    "ionice": _syntax("-c --class -n --classdata", clustered=True),
    "ltrace": _syntax("-e -o -l -n -s -u -x", clustered=True),
    "nice": _syntax("-n --adjustment", clustered=True),
    "nohup": _syntax(),
    "numactl": _syntax(
        "-i --interleave -m --membind -N --cpunodebind -C --physcpubind -P --preferred-many "
        "-p --preferred",
        clustered=True,
    ),
    "setarch": _syntax(),
    "setsid": _syntax(),
    "stdbuf": _syntax("-i --input -o --output -e --error", clustered=True),
    "strace": _syntax("-a -b -e -E -I -o -O -P -s -S -u -X", clustered=True),
    "taskset": _syntax(),
    "time": _syntax("-f --format -o --output", clustered=True),
    "timeout": _syntax("-k --kill-after -s --signal", clustered=True),
    "valgrind": _syntax(),
}
SHELL = _syntax("-o +o -O +O --rcfile --init-file", clustered=True)
