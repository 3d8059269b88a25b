"""A Kubernetes cluster of one node, from the programs that build.sh made: etcd, API server, controller manager,
scheduler, kubelet, containerd, and a DNS server that follows the endpoints of services.

Everything listens on loopback or on a bridge of its own, keeps its files in one folder, and ends with the context.
"""
import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import tarfile
import tempfile
import threading
import time
import urllib.request

BRIDGE, NODE, PODS = "rotakube0", "10.78.0.1", "10.78.0.0/24"
API, ETCD, ETCD_PEER, KUBELET = 16443, 23790, 23800, 16250
TOKEN = "admin-of-this-test"
START_SECONDS = 120

CONTAINERD = """version = 2
root = "{folder}/containerd"
state = "{run}/containerd"
[grpc]
  address = "{run}/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/cni"
"""
NETWORK = {"cniVersion": "0.4.0", "name": "rota", "plugins": [
    {"type": "bridge", "bridge": BRIDGE, "isGateway": True,
     "ipam": {"type": "host-local", "subnet": PODS, "rangeStart": "10.78.0.10", "dataDir": "{folder}/ipam"}}]}
KUBELET_CONFIG = {
    "kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1", "address": NODE, "port": KUBELET,
    "healthzPort": 0, "readOnlyPort": 0, "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
    "authorization": {"mode": "AlwaysAllow"}, "cgroupDriver": "cgroupfs", "cgroupsPerQOS": False,
    "enforceNodeAllocatable": [], "failSwapOn": False, "makeIPTablesUtilChains": False, "clusterDNS": [NODE],
    "clusterDomain": "cluster.local", "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%"}}
PAUSE = """#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void end(int signal) { (void)signal; exit(0); }
int main(void) { signal(SIGTERM, end); signal(SIGINT, end); for (;;) pause(); }
"""


def image_archive(path, name, root, entry_point):
    """The files below `root` as a container image of one layer, in the form of `docker save`."""
    layer = path.with_suffix(".layer")
    with tarfile.open(layer, "w") as tar:
        for entry in sorted(root.iterdir()):
            tar.add(entry, arcname=entry.name, filter=owned_by_root)
    digest = subprocess.run(["sha256sum", layer], capture_output=True, text=True, check=True).stdout.split()[0]
    config = json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
                         "config": {"Entrypoint": [entry_point], "Env": ["PATH=/usr/bin"]}}).encode()
    manifest = json.dumps([{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(path, "w") as tar:
        tar.add(layer, arcname="layer.tar")
        for member, content in (("config.json", config), ("manifest.json", manifest)):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    layer.unlink()


def owned_by_root(info):
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def rota_root(root, programs, plugins):
    """The programs and plugins with the libraries that they are linked with."""
    files = {"usr/bin": list(programs), "usr/lib/rota/plugins": list(plugins)}
    for folder, members in files.items():
        (root / folder).mkdir(parents=True)
        for member in members:
            shutil.copy(member, root / folder)
    linked = subprocess.run(["ldd", *programs, *plugins], capture_output=True, text=True, check=True).stdout
    for line in linked.splitlines():
        for word in line.split():
            if word.startswith("/") and not word.endswith(":") and not (root / word[1:]).exists():
                (root / word[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(word, root / word[1:])


class Cluster:
    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-kubernetes-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.run = pathlib.Path(tempfile.mkdtemp(prefix="rk", dir="/run"))  # sockets: their paths are short
        self.processes = []
        self.ended = threading.Event()
        self.environment = {**os.environ, "KUBECONFIG": str(self.folder / "kubeconfig")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.ended.set()
        with contextlib.suppress(subprocess.SubprocessError):
            self.kubectl("delete", "pods,jobs,services", "--all", "--force", "--grace-period=0", check=False, timeout=60)
            time.sleep(5)
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
        self.end_shims()
        for line in reversed(pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()):
            place = line.split()[1]
            if place.startswith((str(self.folder), str(self.run))):
                subprocess.run(["umount", "-l", place], check=False)
        subprocess.run(["ip", "link", "delete", BRIDGE], check=False, capture_output=True)
        for pods in pathlib.Path("/var/log/pods").glob("default_*"):
            shutil.rmtree(pods, ignore_errors=True)
        for link in pathlib.Path("/var/log/containers").glob("*_default_*"):
            if link.is_symlink() and not link.exists():
                link.unlink()
        if not os.environ.get("ROTA_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.run, ignore_errors=True)

    def end_shims(self):
        """containerd leaves the keepers of its containers behind; they name its socket."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if b"containerd-shim" in words[0] and str(self.run).encode() in b" ".join(words):
                    os.kill(int(process.name), signal.SIGKILL)

    def spawn(self, name, *command):
        with open(self.folder / f"{name}.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, env=self.environment,
                                       cwd=self.folder)
        (self.folder / f"{name}.pid").write_text(str(process.pid), encoding="utf-8")
        self.processes.append(process)
        return process

    def start(self):
        folder, programs = self.folder, self.programs
        pki = folder / "pki"
        pki.mkdir()
        subprocess.run(["openssl", "genrsa", "-out", pki / "sa.key", "2048"], check=True, capture_output=True)
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,1,"system:masters"\n', encoding="utf-8")
        (folder / "kubeconfig").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "rota",
            "clusters": [{"name": "rota", "cluster": {"server": f"https://127.0.0.1:{API}", "insecure-skip-tls-verify": True}}],
            "users": [{"name": "rota", "user": {"token": TOKEN}}],
            "contexts": [{"name": "rota", "context": {"cluster": "rota", "user": "rota"}}]}), encoding="utf-8")
        subprocess.run(["ip", "link", "add", BRIDGE, "type", "bridge"], check=True)
        subprocess.run(["ip", "address", "add", f"{NODE}/24", "dev", BRIDGE], check=True)
        subprocess.run(["ip", "link", "set", BRIDGE, "up"], check=True)
        (folder / "cni").mkdir()
        (folder / "cni/10-rota.conflist").write_text(json.dumps(NETWORK).replace("{folder}", str(folder)), encoding="utf-8")
        (folder / "containerd.toml").write_text(CONTAINERD.format(folder=folder, run=self.run), encoding="utf-8")
        (folder / "kubelet.json").write_text(json.dumps(KUBELET_CONFIG), encoding="utf-8")

        self.spawn("etcd", "etcd", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{ETCD}",
                   "--advertise-client-urls", f"http://127.0.0.1:{ETCD}", "--listen-peer-urls",
                   f"http://127.0.0.1:{ETCD_PEER}", "--unsafe-no-fsync")
        self.spawn("containerd", "containerd", "-c", folder / "containerd.toml")
        self.spawn("apiserver", programs / "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{ETCD}",
                   "--bind-address=127.0.0.1", f"--secure-port={API}", "--advertise-address=127.0.0.1",
                   f"--cert-dir={pki}", f"--service-account-key-file={pki}/sa.key",
                   f"--service-account-signing-key-file={pki}/sa.key", "--service-account-issuer=https://kubernetes.default",
                   f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=AlwaysAllow",
                   "--service-cluster-ip-range=10.96.0.0/24", "--disable-admission-plugins=ServiceAccount",
                   "--kubelet-preferred-address-types=InternalIP")
        self.wait_for("the API server", lambda: self.get("/readyz") == b"ok")
        self.spawn("controllers", programs / "kube-controller-manager", f"--kubeconfig={folder}/kubeconfig",
                   "--leader-elect=false", f"--service-account-private-key-file={pki}/sa.key", "--bind-address=127.0.0.1",
                   "--secure-port=16557", "--port=0", "--controllers=*,-nodeipam,-route,-cloud-node-lifecycle")
        self.spawn("scheduler", programs / "kube-scheduler", f"--kubeconfig={folder}/kubeconfig", "--leader-elect=false",
                   "--bind-address=127.0.0.1", "--secure-port=16559", "--port=0")
        self.add_pause_image()
        self.spawn("kubelet", programs / "kubelet", f"--kubeconfig={folder}/kubeconfig", f"--config={folder}/kubelet.json",
                   "--container-runtime=remote", f"--container-runtime-endpoint=unix://{self.run}/c.sock",
                   "--hostname-override=node", f"--node-ip={NODE}", f"--root-dir={folder}/kubelet",
                   f"--cert-dir={folder}/kubelet-pki")
        (folder / "hosts").touch()
        self.dns = self.spawn("dns", "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts",
                              f"--addn-hosts={folder}/hosts", f"--listen-address={NODE}", "--bind-interfaces",
                              "--local=/cluster.local/", "--user=root", f"--pid-file={folder}/dnsmasq.pid")
        threading.Thread(target=self.serve_names, daemon=True).start()
        self.wait_for("the node", lambda: "True" in self.kubectl(
            "get", "node", "node", "-o", "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}", check=False).stdout)
        self.wait_for("a node without taints", lambda: not self.kubectl(
            "get", "node", "node", "-o", "jsonpath={.spec.taints}").stdout)

    def get(self, path):
        context = ssl._create_unverified_context()
        request = urllib.request.Request(f"https://127.0.0.1:{API}{path}", headers={"Authorization": f"Bearer {TOKEN}"})
        try:
            with urllib.request.urlopen(request, timeout=10, context=context) as answer:
                return answer.read()
        except OSError:
            return b""

    def serve_names(self):
        """SERVICE.default.svc.cluster.local, as CoreDNS answers it for services without an address of their own.

        Without pods that have ended, which endpoints still have in 1.20 and not in newer versions.
        """
        before = None
        while not self.ended.wait(0.5):
            lines = []
            pods = json.loads(self.get("/api/v1/namespaces/default/pods") or b"{}").get("items", ())
            ended = {pod["metadata"]["name"] for pod in pods if pod["status"].get("phase") in ("Failed", "Succeeded")}
            for one in json.loads(self.get("/api/v1/namespaces/default/endpoints") or b"{}").get("items", ()):
                for subset in one.get("subsets") or ():
                    for address in (*subset.get("addresses", ()), *subset.get("notReadyAddresses", ())):
                        if address.get("targetRef", {}).get("name") not in ended:
                            lines.append(f"{address['ip']} {one['metadata']['name']}.default.svc.cluster.local\n")
            if lines != before:
                (self.folder / "hosts").write_text("".join(lines), encoding="utf-8")
                self.dns.send_signal(signal.SIGHUP)
                before = lines

    def wait_for(self, what, is_there, seconds=START_SECONDS):
        begin = time.monotonic()
        while not is_there():
            for process in self.processes:
                if process.poll() is not None:
                    raise RuntimeError(f"waiting for {what}: {process.args[0]} ended with {process.returncode}; "
                                       f"its log is in {self.folder}")
            if time.monotonic() - begin > seconds:
                raise TimeoutError(f"{what}: not there after {seconds} s")
            time.sleep(0.25)
        return time.monotonic() - begin

    def kubectl(self, *words, check=True, timeout=120, **settings):
        run = subprocess.run(["kubectl", *words], capture_output=True, text=True, timeout=timeout, env=self.environment,
                             check=False, **settings)
        if check and run.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(words)}: {run.stderr}")
        return run

    def load_image(self, name, root, entry_point):
        archive = self.folder / "image.tar"
        image_archive(archive, name, root, entry_point)
        subprocess.run(["ctr", "-a", self.run / "c.sock", "-n", "k8s.io", "images", "import", "--snapshotter", "native",
                        archive], check=True, capture_output=True, timeout=120)
        archive.unlink()

    def add_pause_image(self):
        root = self.folder / "pause"
        root.mkdir()
        (self.folder / "pause.c").write_text(PAUSE, encoding="utf-8")
        subprocess.run(["gcc", "-static", "-Os", "-o", root / "pause", self.folder / "pause.c"], check=True)
        self.load_image("localhost/pause:1", root, "/pause")
