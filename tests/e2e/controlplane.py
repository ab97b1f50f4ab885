"""The control plane: etcd, the API server, the controller manager and the scheduler, all on loopback."""

from __future__ import annotations

import json
import secrets
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.api import Api, ApiError, Connection
from tests.e2e.processes import Programs, free_ports, listening

_START_S = 90.0  # a loaded CI machine; 3 s on an idle one

# As Talos configures its API servers: a namespace that says nothing gets the Pod Security level baseline.
_ADMISSION = {
    "apiVersion": "apiserver.config.k8s.io/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {
            "name": "PodSecurity",
            "configuration": {
                "apiVersion": "pod-security.admission.config.k8s.io/v1",
                "kind": "PodSecurityConfiguration",
                "defaults": {"enforce": "baseline", "enforce-version": "latest"},
                "exemptions": {"namespaces": ["kube-system"]},
            },
        }
    ],
}


@dataclass(frozen=True)
class ControlPlane:
    """A running control plane."""

    api: Api
    kubeconfig: Path
    seconds: float
    """From the start of etcd to the API server's readiness."""


def start(programs: Programs, binaries: Path, folder: Path) -> ControlPlane:
    """Start a control plane with RBAC and an administrator's token.

    Args:
        programs: what the processes belong to.
        binaries: folder of the built programs.
        folder: working folder; keys, certificates, etcd's data and the kubeconfig go there.

    Returns:
        The control plane, once its API server says that it is ready.

    Raises:
        ProgramFailed: a program does not come up.
    """
    folder.mkdir(parents=True)
    client_port, peer_port, api_port = free_ports(3)
    etcd_url = f"http://127.0.0.1:{client_port}"
    peer_url = f"http://127.0.0.1:{peer_port}"
    etcd = programs.start(
        "etcd",
        [
            binaries / "etcd",
            f"--data-dir={folder / 'etcd'}",
            f"--listen-client-urls={etcd_url}",
            f"--advertise-client-urls={etcd_url}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster=default={peer_url}",
            "--unsafe-no-fsync",  # the data does not outlive the run
        ],
    )
    seconds = etcd.wait_until(lambda: listening(client_port), _START_S)

    token = secrets.token_hex(16)
    tokens = folder / "tokens.csv"
    tokens.write_text(f"{token},admin,admin,system:masters\n", encoding="ascii")
    key = folder / "service-accounts.key"
    key.write_bytes(subprocess.run([binaries / "keys"], check=True, capture_output=True).stdout)
    certificates = folder / "certificates"
    admission = folder / "admission.json"
    admission.write_text(json.dumps(_ADMISSION), encoding="ascii")
    api_server = programs.start(
        "kube-apiserver",
        [
            binaries / "kube-apiserver",
            f"--etcd-servers={etcd_url}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={api_port}",
            f"--cert-dir={certificates}",  # it makes a certificate of its own there
            f"--token-auth-file={tokens}",
            "--authorization-mode=Node,RBAC",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--allow-privileged=true",
            f"--admission-control-config-file={admission}",
            "--endpoint-reconciler-type=none",  # it would publish a loopback address, which is refused
            "--profiling=false",
        ],
    )
    ca = certificates / "apiserver.crt"
    seconds += api_server.wait_until(ca.exists, _START_S)
    api = Api(Connection("127.0.0.1", api_port, ca, token))
    seconds += api_server.wait_until(lambda: _ready(api), _START_S)

    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(_kubeconfig(api.connection), encoding="utf-8")
    kubeconfig.chmod(0o600)
    programs.start(
        "kube-controller-manager",
        [
            binaries / "kube-controller-manager",
            f"--kubeconfig={kubeconfig}",
            f"--service-account-private-key-file={key}",
            f"--root-ca-file={ca}",
            "--use-service-account-credentials=true",
            "--leader-elect=false",
            "--secure-port=0",
        ],
    )
    programs.start(
        "kube-scheduler",
        [binaries / "kube-scheduler", f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"],
    )
    return ControlPlane(api, kubeconfig, seconds)


def _ready(api: Api) -> bool:
    try:
        return bool(api.request("GET", "/readyz") == "ok")
    except ApiError:
        return False


def _kubeconfig(connection: Connection) -> str:
    """Return a kubeconfig (JSON is YAML too)."""
    server = f"https://{connection.host}:{connection.port}"
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "e2e",
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "admin"}}],
            "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority": str(connection.ca)}}],
            "users": [{"name": "admin", "user": {"token": connection.token}}],
        }
    )
