"""A door before the object store, which answers only to who brings the token of a key.

As with Google's own store, who has the key of a service account gets a token for it, and shows the
token with each request.
"""

import contextlib
import http.client
import json
import secrets
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOKEN_PATH = "/token"
OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length", "date"}


class Guard(ThreadingHTTPServer):
    """Hands on to the store at a local port what comes with ``token``."""

    daemon_threads = True

    def __init__(self, address: str, store_port: int) -> None:
        super().__init__((address, 0), _Request)
        self.store = (address, store_port)
        self.token = secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """Where clients find the store."""
        return f"http://{self.server_address[0]!s}:{self.server_port}"

    def write_key(self, path: Path) -> str:
        """Write a service account's key for this store; a line of it that nothing else has."""
        made = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
        key = subprocess.run(made, check=True, capture_output=True, text=True).stdout
        account = {
            "type": "service_account",
            "project_id": "none",
            "private_key_id": "1",
            "private_key": key,
            "client_email": "onelog@none.iam.gserviceaccount.com",
            "client_id": "1",
            "token_uri": self.url + TOKEN_PATH,
        }
        path.touch(mode=0o600)
        path.write_text(json.dumps(account))
        return key.splitlines()[1]


@contextlib.contextmanager
def guarded(address: str, store_port: int) -> Iterator[Guard]:
    """Guard the store until the block ends."""
    with Guard(address, store_port) as guard:
        threading.Thread(target=guard.serve_forever, daemon=True).start()
        try:
            yield guard
        finally:
            guard.shutdown()


class _Request(BaseHTTPRequestHandler):
    """One connection of a client, with its requests one after the other."""

    server: Guard
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        """Clients that are killed leave in the middle."""
        with contextlib.suppress(ConnectionError):
            super().handle_one_request()
            return
        self.close_connection = True

    def do_GET(self) -> None:
        body = self._body()
        if self.path == TOKEN_PATH:
            granted = {"access_token": self.server.token, "token_type": "Bearer"}
            answer = json.dumps(granted | {"expires_in": 3600}).encode()
            self._answer(200, [("Content-Type", "application/json")], answer)
        elif self.headers.get("Authorization") != f"Bearer {self.server.token}":
            self._answer(401, [("WWW-Authenticate", "Bearer")], b"")
        else:
            self._hand_on(body)

    do_DELETE = do_HEAD = do_PATCH = do_POST = do_PUT = do_GET

    def _hand_on(self, body: bytes) -> None:
        """Ask the store the same, and answer what it answers."""
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in OF_ONE_CONNECTION
        }
        with contextlib.closing(http.client.HTTPConnection(*self.server.store)) as store:
            store.request(self.command, self.path, body, headers)
            answer = store.getresponse()
            self._answer(answer.status, answer.getheaders(), answer.read())

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        # What may follow the last piece ends with an empty line.
        while self.rfile.readline().strip():
            pass
        return body

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in OF_ONE_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
