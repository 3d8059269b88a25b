#!/usr/bin/env python3
"""Writes docs/cli.md from what the programs print for --help.

usage: ROTA_BIN=build/release/bin tests/system/cli_reference.py >docs/cli.md

docs_test.py fails while docs/cli.md differs from this.
"""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ROTA_BIN", SOURCE / "build/release/bin"))
APPS = ("als", "ccd", "kmeans", "lasso", "lasso_rows", "lda", "linear", "medlda", "mf", "pagerank", "sgd")
COMMANDS = ("train", "shard", "resume", "show", "export", "status", "top", "web", "report", "plot", "add-worker", "new", "role", "manifest", "doctor", "keys", "man", "completion", "agent")
OPTION = re.compile(r"  (--[\w]+(?:=\S+)?)(?:  \((.*)\))?$")

HEAD = """# Command line

<!-- Written by tests/system/cli_reference.py from the programs' own --help: do not edit. -->

- An option is written `--name=value` or `--name value`. A boolean option is `--name` or `--noname`.
- `--flagfile=FILE` reads options from a file, one a line. The last value of an option counts; if the command line
  itself gives an option twice with different values, a note on stderr says so.
- `rota COMMAND --help` and `rota train APP --help` print what this page has. `rota --version` prints the version.
- [Exit codes](run-folder.md#exit-codes) are the same for all programs.
- An option that has no effect in a job, because of the app or of another option, is named in a warning.
"""


def help_of(*words):
    run = subprocess.run([str(BIN / words[0]), *words[1:], "--help"], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} --help: exit {run.returncode}: {run.stderr}")
    return run.stdout.split("\n")


def wrapped(text, first="", later=""):
    return textwrap.fill(text, 118, initial_indent=first, subsequent_indent=later, break_long_words=False,
                         break_on_hyphens=False)


def options(lines):
    """The options of a help text as list items, and the lines between them."""
    out, rest, i = [], [], 0
    while i < len(lines):
        found = OPTION.match(lines[i])
        if found:
            meaning = lines[i + 1].strip()
            details = f" ({found.group(2)})" if found.group(2) else ""
            if found.group(1) != "--flagfile=PATH":  # every command has it
                text = f"`{found.group(1)}`{details}: {meaning}".replace("*", "\\*").replace("  ", " ")
                out.append(wrapped(text, "- ", "  "))
            i += 1
        else:
            rest.append(lines[i])
        i += 1
    return out, rest


def sections(lines):
    """Parts of a help text that begin with a line that ends in a colon: {title: lines}."""
    parts, title = {"": []}, ""
    for line in lines:
        if re.match(r"(The app [^:]*|This process|This command|The job|The network|Its input):$", line):
            title = line
            parts[title] = []
        parts[title].append(line)
    return parts


def usage(lines):
    return ["```", lines[0].removeprefix("usage: "), "```", ""]


def summary(lines):
    """The text between the usage and the first option."""
    output = []
    for line in lines[1:]:
        if OPTION.match(line):
            break
        output.append(line)
    return wrapped(" ".join(" ".join(output).split()))


def command(name):
    lines = help_of("rota", name)
    out = [f"## rota {name}", "", *usage(lines)]
    if name == "train":
        parts = sections(lines)
        out += ["Trains a model. The options of the job:", "", *options(parts["The job:"])[0],
                *options(parts["This command:"])[0], "", "The network:", "", *options(parts["The network:"])[0], "",
                "The options of each app are listed under [Apps](#apps).", ""]
        return out
    about = summary(lines)
    if name == "show":
        about = "Prints a model. Other commands of an app are called in the same way; see [Apps](#apps)."
    if about:
        out += [about, ""]
    listed = options(lines)[0]
    return out + (listed + [""] if listed else [])


def commands_of(app):
    """The app's own commands, as `rota APP` lists them."""
    listed = subprocess.run([str(BIN / "rota"), app], capture_output=True, text=True, check=True, timeout=60).stdout
    for name in sorted(set(re.findall(r"^  rota (\w+) ", listed, re.M)) - set(COMMANDS) | {"show"}):
        yield name, help_of("rota", name, app)


def app_section(name):
    parts = sections(help_of("rota", "train", name))
    title = f"The app {name}:"
    about = parts[""][2].split(f"{name}: ", 1)[1]
    out = [f"### {name}", "", wrapped(about), "",
           f"Options of `rota train {name}`:", "", *options(parts[title])[0], ""]
    if "Its input:" in parts:
        out += ["Its input:", "", *options(parts["Its input:"])[0], ""]
    for command_name, lines in commands_of(name):
        own = [one for one in options(lines)[0]
               if not one.startswith(("- `--model=", "- `--output=PATH`: File for the result", "- `--plugin_dir",
                                      "- `--input=TEXT`: Data:"))]
        line = lines[0].removeprefix("usage: ").replace(" APP", f" {name}")
        out += [f"`{line}`: " + lines[2].rstrip(".") + ".", ""]
        out[-2] = wrapped(out[-2])
        out += own + [""] if own else []
    return out


def reference():
    out = [HEAD]
    for name in COMMANDS:
        out += command(name)
    out += ["## Apps", "", wrapped("Beside `rota train`, `rota show` and `rota export`, an app has commands of its own. All of them "
            "take `--output=PATH` (a file for the result instead of stdout) and `--plugin_dir`."), ""]
    for name in APPS:
        out += app_section(name)
    lines = help_of("rota-worker")
    out += ["## rota-coordinator, rota-scheduler, rota-worker, rota-kvstore", "",
            wrapped("The processes of a job. `rota train` starts them; [deploy.md](deploy.md) says how to start them by hand. They "
                    "take the options of the job (see [rota train](#rota-train)), and these:"), "",
            *options(sections(lines)["This process:"])[0], ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
