"""A small client of the Kubernetes API: server-side apply, get, list, patch and delete over HTTPS with a token."""

from __future__ import annotations

import http
import http.client
import json
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

Obj = dict[str, Any]

FIELD_MANAGER = "gpuc-e2e"


class ApiError(Exception):
    """The API server refuses, or cannot be reached. `status` is the HTTP status, or 0."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Connection:
    """How to reach an API server. `ca` is a file of certificates in PEM."""

    host: str
    port: int
    ca: Path
    token: str


class Api:
    """Reads and writes objects as plain data. Kinds are looked up in the server's discovery, so CRDs work."""

    def __init__(self, connection: Connection, *, timeout_s: float = 30) -> None:
        self.connection = connection
        self._timeout_s = timeout_s
        self._tls = ssl.create_default_context(cafile=str(connection.ca))
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    def request(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Any:
        """Send one request.

        Args:
            method: of HTTP.
            path: with its query, from the root of the server.
            body: sent as JSON; None for none.
            kind: media type of the body.

        Returns:
            The answer, decoded from JSON where it is JSON, else as text.

        Raises:
            ApiError: any answer but 2xx, or no answer.
        """
        connection = http.client.HTTPSConnection(
            self.connection.host, self.connection.port, timeout=self._timeout_s, context=self._tls
        )
        headers = {
            "Authorization": f"Bearer {self.connection.token}",
            "Content-Type": kind,
            "Accept": "application/json",
        }
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(0, f"{method} {path}: {error}") from None
        finally:
            connection.close()
        if response.status >= http.HTTPStatus.MULTIPLE_CHOICES:
            raise ApiError(response.status, _message(response.status, text))
        return json.loads(text) if response.headers.get_content_type() == "application/json" else text

    def path(self, api_version: str, kind: str, namespace: str = "", name: str = "") -> str:
        """Return the path of an object, or of a collection where `name` is empty.

        Raises:
            ApiError: with status 404 where the server does not know the kind.
        """
        key = (api_version, kind)
        if key not in self._resources:
            self._discover(api_version)
        if key not in self._resources:
            raise ApiError(404, f"the API server knows no {kind} in {api_version}")
        plural, namespaced = self._resources[key]
        where = f"/namespaces/{quote(namespace)}" if namespaced and namespace else ""
        return f"{_root(api_version)}{where}/{plural}" + (f"/{quote(name)}" if name else "")

    def _discover(self, api_version: str) -> None:
        for resource in self.request("GET", _root(api_version))["resources"]:
            if "/" not in resource["name"]:
                self._resources[api_version, resource["kind"]] = (resource["name"], resource["namespaced"])

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Obj | None:
        """Return an object, or None where there is none of that name (or no such kind)."""
        try:
            found: Obj = self.request("GET", self.path(api_version, kind, namespace, name))
        except ApiError as error:
            if error.status == http.HTTPStatus.NOT_FOUND:
                return None
            raise
        return found

    def find(self, api_version: str, kind: str, namespace: str = "", labels: str = "") -> list[Obj]:
        """Return the objects of a kind, in one namespace or in all, chosen by a label selector where one is given."""
        query = f"?{urlencode({'labelSelector': labels})}" if labels else ""
        answer = self.request("GET", self.path(api_version, kind, namespace) + query)
        found: list[Obj] = answer["items"]
        for one in found:  # items of a list come without these two
            one.setdefault("apiVersion", api_version)
            one.setdefault("kind", kind)
        return found

    def apply(self, obj: Obj, *, manager: str = FIELD_MANAGER, force: bool = True, dry_run: bool = False) -> Obj:
        """Apply an object on the server, with strict field validation: an unknown or a duplicate field is an error.

        Args:
            obj: what to apply; it names its kind, its name and, where it has one, its namespace.
            manager: who owns the fields.
            force: take fields over from other managers.
            dry_run: have everything checked but nothing stored.

        Returns:
            The object as the server has it now.

        Raises:
            ApiError: the server refuses it.
        """
        meta = obj["metadata"]
        query = {"fieldManager": manager, "fieldValidation": "Strict", "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        path = self.path(obj["apiVersion"], obj["kind"], meta.get("namespace", ""), meta["name"])
        applied: Obj = self.request("PATCH", f"{path}?{urlencode(query)}", obj, "application/apply-patch+yaml")
        return applied

    def patch(self, obj: Obj, change: Obj, *, subresource: str = "") -> Obj:
        """Merge `change` into an object, or into its subresource such as `status` (JSON merge patch)."""
        meta = obj["metadata"]
        path = self.path(obj["apiVersion"], obj["kind"], meta.get("namespace", ""), meta["name"])
        query = urlencode({"fieldManager": FIELD_MANAGER})
        path = f"{path}/{subresource}" if subresource else path
        patched: Obj = self.request("PATCH", f"{path}?{query}", change, "application/merge-patch+json")
        return patched

    def delete(self, api_version: str, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object and, in the background, what it owns. One that is not there is fine."""
        try:
            self.request("DELETE", self.path(api_version, kind, namespace, name) + "?propagationPolicy=Background")
        except ApiError as error:
            if error.status != http.HTTPStatus.NOT_FOUND:
                raise


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _message(status: int, text: str) -> str:
    """Return what the server's Status object says, or the bare text."""
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {status}: {text[:500]}"


def condition(obj: Obj | None, kind: str) -> Obj:
    """Return a condition of an object's status, or an empty mapping."""
    found = [one for one in ((obj or {}).get("status") or {}).get("conditions") or [] if one["type"] == kind]
    return found[0] if found else {}
