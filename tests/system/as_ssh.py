#!/usr/bin/env python3
"""Replaces ssh in the tests: runs the command on this machine, in a shell as sshd does.

A host whose name begins with "no-" does not exist; on "noisy-..." the shell prints a lot before it runs the command.
Each agent's process id is written to $AS_SSH_NOTES, with its host and command.
"""
import json
import os
import subprocess
import sys

words = sys.argv[1:]
end = words.index("--")
assert words[:end] == ["-T", "-a", "-x", "-o", "BatchMode=yes"], words
host, command = words[end + 1:]
if host.startswith("no-"):
    sys.exit(f"as_ssh: Could not resolve hostname {host}")
if host.startswith("noisy-"):
    os.write(1, b"Welcome to " + host.encode() + b"!\n\0\xff\x1b[31m\nrota-agent speaks\n" + b"news " * 20000)
with subprocess.Popen(["sh", "-c", command]) as shell:  # which becomes the agent
    with open(os.environ["AS_SSH_NOTES"], "a") as notes:
        notes.write(json.dumps({"pid": shell.pid, "host": host, "command": command}) + "\n")
    for stream in (0, 1):  # only the agent uses them
        os.dup2(2, stream)
sys.exit(shell.returncode)
