"""A git repository served over HTTP on loopback, the way Flux reads one: the smart protocol by `git http-backend`."""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_MAX_BODY = 16 * 1024 * 1024  # bytes; a fetch sends a few kilobytes


class GitServer:
    """Serves the bare repositories below a folder, read-only, for as long as the `with` block lasts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, repository: str) -> str:
        """Return the address of a repository, as in `http://127.0.0.1:1234/fleet.git`."""
        return f"http://127.0.0.1:{self._server.server_port}/{repository}"


def _handler(folder: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # one request a connection: the end of the answer is the end of the stream

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length > _MAX_BODY:
                self.send_error(413)
                return
            body = self.rfile.read(length)
            self._answer(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)

        def _answer(self, body: bytes) -> None:
            where = urlsplit(self.path)
            env = {
                "PATH": os.environ.get("PATH", os.defpath),
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_COUNT": "1",  # the folder may belong to another user than the one that git runs as
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": where.path,
                "QUERY_STRING": where.query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": self.client_address[0],
            }
            done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = [line.partition(": ") for line in head.decode("latin-1").split("\r\n") if line]
            status = next((value for name, _, value in headers if name.lower() == "status"), "200 OK")
            if done.returncode != 0 or not headers:
                self.send_error(500, done.stderr.decode(errors="replace")[:200].strip().replace("\n", " "))
                return
            self.send_response(int(status.split()[0]))
            for name, _, value in headers:
                if name.lower() != "status":
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the base class
            del format, args

    return Handler


class Repository:
    """A working tree whose commits go straight to a bare repository that a GitServer serves."""

    def __init__(self, bare: Path, tree: Path, branch: str = "main") -> None:
        self.tree = tree
        self._bare = bare
        self._branch = branch
        self.config = tree.parent / "gitconfig"
        # A checkout may belong to another user than the one that git runs as, in CI more often than not.
        self.config.write_text("[safe]\n\tdirectory = *\n", encoding="ascii")
        self._git("init", "--quiet", "--bare", f"--initial-branch={branch}", str(bare), cwd=bare.parent)
        self._git("init", "--quiet", f"--initial-branch={branch}", str(tree), cwd=tree.parent)

    def take(self, repository: Path) -> str:
        """Make another repository's HEAD the head of this one, history included. Returns the commit's hash."""
        self._git("fetch", "--quiet", str(repository), "HEAD")
        self._git("reset", "--quiet", "--hard", "FETCH_HEAD")
        return self._push()

    def commit(self, message: str, *, branch: str = "") -> str:
        """Commit everything in the working tree, ignored files left out, and push it.

        Args:
            message: of the commit.
            branch: pushed to; by default the one that the repository was made with.

        Returns:
            The commit's hash.
        """
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._push(branch)

    def _push(self, branch: str = "") -> str:
        self._git("push", "--quiet", "--force", str(self._bare), f"HEAD:refs/heads/{branch or self._branch}")
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments: str, cwd: Path | None = None) -> str:
        env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.config),
            **{f"GIT_{who}_NAME": "e2e" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "e2e@example.invalid" for who in ("AUTHOR", "COMMITTER")},
        }
        done = subprocess.run(
            ["git", *arguments], cwd=cwd or self.tree, env=env, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout
