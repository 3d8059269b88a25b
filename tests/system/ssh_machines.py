"""Machines of namespaces.py, each with its own sshd: address, host key and configuration."""
import os
import shutil
import subprocess
import textwrap
import time

import namespaces

LIMIT = 30  # seconds that an sshd may take to listen


def why_not():
    """Why they are impossible here; None if they are possible."""
    return namespaces.why_not("sshd", "ssh", "ssh-keygen")


def tool(name):
    return shutil.which(name) or f"/usr/sbin/{name}"


class SshMachines(namespaces.Machines):
    """`ssh` is a program for --ssh that reaches every machine from machine 0 by its address."""

    def __init__(self, folder, count, **options):
        super().__init__(count, **options)
        try:
            self._set_up(folder)
        except BaseException:
            self.close()
            raise

    def _set_up(self, folder):
        folder.mkdir(mode=0o700)
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # which sshd wants to be there
        for key in ("user", *(f"host{machine.number}" for machine in self.all)):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f", folder / key], check=True)
        shutil.copy(folder / "user.pub", folder / "authorized_keys")
        known = []
        for machine in self.all:
            kind, key = (folder / f"host{machine.number}.pub").read_text().split()[:2]
            known.append(f"{machine.address} {kind} {key}\n")
            (folder / f"sshd{machine.number}.conf").write_text(textwrap.dedent(f"""\
                ListenAddress {machine.address}:22
                HostKey {folder}/host{machine.number}
                AuthorizedKeysFile {folder}/authorized_keys
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                PermitRootLogin prohibit-password
                PrintMotd no
                """))
            with open(folder / f"sshd{machine.number}.log", "wb") as log:
                machine.sshd = subprocess.Popen(
                    machine.command(tool("sshd"), "-D", "-e", "-f", folder / f"sshd{machine.number}.conf"),
                    stdin=subprocess.DEVNULL, stderr=log)
        (folder / "known_hosts").write_text("".join(known))
        (folder / "ssh.conf").write_text(textwrap.dedent(f"""\
            Host *
                IdentityFile {folder}/user
                IdentitiesOnly yes
                UserKnownHostsFile {folder}/known_hosts
                GlobalKnownHostsFile none
                StrictHostKeyChecking yes
                ConnectTimeout 5
            """))
        self.ssh = folder / "ssh"
        self.ssh.write_text(f'#!/bin/sh\nexec {tool("ssh")} -F {folder}/ssh.conf "$@"\n')
        self.ssh.chmod(0o755)
        for machine in self.all:
            self._wait_for(machine, folder)

    def _wait_for(self, machine, folder):
        end = time.monotonic() + LIMIT
        while subprocess.run(self.all[0].command(self.ssh, "-o", "BatchMode=yes", machine.address, "true"),
                             capture_output=True).returncode:
            if machine.sshd.poll() is not None or time.monotonic() > end:
                raise RuntimeError("no sshd: " + (folder / f"sshd{machine.number}.log").read_text())
            time.sleep(0.05)

    def close(self):
        super().close()
        for machine in self.all:
            if hasattr(machine, "sshd"):
                machine.sshd.wait()
