# SPDX-License-Identifier: Apache-2.0
"""How launchers pass variables on to the programs that they start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roundelay.launcher import Context, Launcher, contexts


def _joined(*libraries: str | None) -> str:
    return ":".join(filter(None, libraries))


def with_variables(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """The command that gives the program these variables and preloads the library.

    Also what the launcher needs in its environment. `preloaded` is LD_PRELOAD as it is here: it
    follows the library, unless the command says something else. The launcher itself must not be
    preloaded, so LD_PRELOAD is only ever an argument.
    """
    if launcher.flavour == "mpich":
        return _with_genv(launcher, command, library, variables, preloaded), {}
    if launcher.flavour == "openmpi":
        # Open MPI splits values at semicolons, but not those that it takes from its environment.
        return _with_x(launcher, command, library, variables, preloaded), dict(variables)
    return _with_env(launcher, command, library, variables, preloaded), {}


def _with_genv(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None,
) -> list[str]:
    """Uses -genv. Later options take precedence over it, and so does -env, for one program."""
    words = list(command)
    for context in contexts(launcher, command):
        for option in context.options:
            values = "=".join(command[option.first + 1 : option.last + 1])
            name, _, value = values.partition("=")
            is_variable = command[option.first] in launcher.syntax.joined
            if not is_variable or name != "LD_PRELOAD":
                continue
            words[option.first + 1 : option.last + 1] = (
                [f"{name}={_joined(library, value)}"]
                if option.last == option.first + 1
                else [name, _joined(library, value)]
            )
    options = [
        word
        for name, value in {"LD_PRELOAD": _joined(library, preloaded), **variables}.items()
        for word in ("-genv", name, value)
    ]
    after = launcher.position + 1
    return [*words[:after], *options, *words[after:]]


def _with_x(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None,
) -> list[str]:
    """Uses -x before each program: those after a colon have options of their own."""

    def words_of(context: Context) -> list[str]:
        preload = preloaded
        kept: list[str] = []
        at = context.start
        for option in context.options:
            kept += command[at : option.first]
            name, _, value = "".join(command[option.first + 1 : option.last + 1]).partition("=")
            if command[option.first] in ("-x", "--x") and name == "LD_PRELOAD":
                preload = value or preloaded
            else:
                kept += command[option.first : option.last + 1]
            at = option.last + 1
        ours = ["-x", f"LD_PRELOAD={_joined(library, preload)}"]
        ours += [word for name in variables for word in ("-x", name)]
        return [*ours, *kept, *command[at : context.end]]

    words = list(command[: launcher.position + 1])
    for number, context in enumerate(contexts(launcher, command)):
        words += [":"] * (number > 0) + words_of(context)
    return words


def _with_env(
    launcher: Launcher,
    command: Sequence[str],
    library: str,
    variables: Mapping[str, str],
    preloaded: str | None,
) -> list[str]:
    """Puts env(1) before each program. This works with every launcher."""
    words = list(command[: launcher.position + 1])
    settings = {**variables, "LD_PRELOAD": _joined(library, preloaded)}
    env = ["env", *(f"{name}={value}" for name, value in settings.items())]
    for number, context in enumerate(contexts(launcher, command)):
        at = context.program
        if at is None:  # on other machines it may be there: then it is the first that is no option
            at = context.others[0] if context.others else context.end
        words += [":"] * (number > 0) + [*command[context.start : at]]
        words += [*env, *command[at : context.end]] if at < context.end else []
    return words
