"""Pieces of Kubernetes objects that inputs contain: taints, tolerations, resources, environment, images."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from compiler.model.base import Mistake, Model
from compiler.model.scalars import (
    DnsSubdomain,
    EnvName,
    ImageDigest,
    ImageRepository,
    ImageTag,
    LabelKey,
    LabelValue,
    Quantity,
    ResourceName,
    Text,
    form,
)

TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
V = TypeVar("V")


def _by_key(value: dict[str, V]) -> dict[str, V]:
    """Sort a mapping of names: its order has no meaning, so it must not change a byte of out/."""
    return dict(sorted(value.items()))


def _not_ours(value: dict[str, str]) -> dict[str, str]:
    """Refuse the labels by which gpuc's workloads select their pods, and those that say whose the pods are."""
    taken = [f"app.kubernetes.io/{name}" for name in ("component", "instance", "managed-by", "name")]
    if found := [key for key in taken if key in value]:
        raise Mistake(f"must not set {found[0]}, which gpuc sets: it says which pods are whose", "choose another label")
    return value


Labels = Annotated[dict[LabelKey, LabelValue], AfterValidator(_by_key)]
PodLabels = Annotated[Labels, AfterValidator(_not_ours)]
Annotations = Annotated[dict[LabelKey, str], AfterValidator(_by_key)]
Amounts = Annotated[dict[ResourceName, Quantity], AfterValidator(_by_key)]


class Toleration(Model):
    """A toleration, as in a pod."""

    key: LabelKey | None = Field(
        None, description="The taint's key; leave it out, with operator Exists, for every taint."
    )
    operator: Literal["Equal", "Exists"] = Field(
        "Equal", description="Equal compares the value; Exists takes any value."
    )
    value: LabelValue | None = Field(None, description="The taint's value, with operator Equal.")
    effect: TaintEffect | None = Field(None, description="The taint's effect; leave it out for every effect.")
    toleration_seconds: int | None = Field(
        None,
        ge=0,
        description="Seconds for which a NoExecute taint is tolerated; leave it out for as long as it lasts.",
    )

    @model_validator(mode="after")
    def _as_the_api_server_wants(self) -> Self:
        if self.operator == "Exists" and self.value:
            raise Mistake("a toleration with operator Exists takes no value", "delete `value`, or use operator Equal")
        if self.key is None and self.operator != "Exists":
            raise Mistake("a toleration without a key needs operator Exists", "add `operator: Exists`, or the key")
        if self.toleration_seconds is not None and self.effect != "NoExecute":
            raise Mistake("tolerationSeconds needs effect NoExecute", "delete `tolerationSeconds`")
        return self

    def covers(self, taint: Taint) -> bool:
        """True when a pod with this toleration may run, for good, on a node with the taint."""
        return (
            self.toleration_seconds is None
            and self.key in (None, taint.key)
            and (self.operator == "Exists" or (self.value or "") == taint.value)
            and self.effect in (None, taint.effect)
        )


class Taint(Model):
    """A taint that the nodes of a pool carry."""

    key: LabelKey = Field(description="The taint's key, such as dedicated.")
    value: LabelValue = Field("", description="The taint's value, such as ai.")
    effect: TaintEffect = Field(description="What it does to pods that do not tolerate it.")

    def toleration(self) -> Toleration:
        """Return the narrowest toleration for this taint."""
        if self.value:
            return Toleration(key=self.key, operator="Equal", value=self.value, effect=self.effect)
        return Toleration(key=self.key, operator="Exists", effect=self.effect)


class Resources(Model):
    """Requests and limits of a container."""

    requests: Amounts = Field({}, description="What the scheduler sets aside, by resource name.")
    limits: Amounts = Field({}, description="What the container may use at most, by resource name.")


class FieldRef(Model):
    """A field of the pod."""

    field_path: Text = Field(description="Path of the field, such as spec.nodeName.")


class KeyRef(Model):
    """A key of a ConfigMap or Secret in the stack's namespace."""

    name: DnsSubdomain = Field(description="Name of the object.")
    key: Text = Field(description="Key in it.")
    optional: bool | None = Field(None, description="True when the pod may start without it.")


class EnvVarSource(Model):
    """Where an environment variable's value comes from: exactly one of the three."""

    field_ref: FieldRef | None = Field(None, description="A field of the pod.")
    config_map_key_ref: KeyRef | None = Field(None, description="A key of a ConfigMap.")
    secret_key_ref: KeyRef | None = Field(None, description="A key of a Secret.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise Mistake("takes exactly one of fieldRef, configMapKeyRef and secretKeyRef", "delete the others")
        return self


class EnvVar(Model):
    """An extra environment variable of a container."""

    name: EnvName = Field(description="Name of the variable.")
    value: str | None = Field(None, description="Its value.")
    value_from: EnvVarSource | None = Field(None, description="Where its value comes from instead.")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.value is not None and self.value_from is not None:
            raise Mistake("takes value or valueFrom, not both", "delete one of the two")
        return self


class Image(Model):
    """Where a component's image is pulled from; what is left out comes from the component's version."""

    repository: ImageRepository | None = Field(
        None, description="Repository, without tag: a mirror or a build of one's own."
    )
    tag: ImageTag | None = Field(None, description="Tag, if it is not the component's version.")
    digest: ImageDigest | None = Field(
        None, description="sha256:... to pin the image; the tag stays for people to read."
    )
    pull_policy: Literal["Always", "IfNotPresent", "Never"] = Field(
        "IfNotPresent", description="When the kubelet pulls."
    )


class LocalObjectReference(Model):
    """A Secret in the stack's namespace, by name."""

    name: DnsSubdomain = Field(description="Name of the Secret.")


CAPABILITY = form(r"^[A-Z_]+$", "must be a capability in capital letters, without CAP_, such as SYS_ADMIN")


class Capabilities(Model):
    """Linux capabilities of a container."""

    add: tuple[Annotated[str, Field(pattern=CAPABILITY)], ...] = Field(
        (), description="Capabilities added, such as SYS_ADMIN."
    )
    drop: tuple[Annotated[str, Field(pattern=CAPABILITY)], ...] = Field(
        (), description="Capabilities dropped, such as ALL."
    )


class SecurityContext(Model):
    """Security context of a container; given, it replaces the one that gpuc computes."""

    privileged: bool | None = Field(None, description="Run with every capability and device of the node.")
    allow_privilege_escalation: bool | None = Field(None, description="Whether a process may gain more privileges.")
    capabilities: Capabilities | None = Field(None, description="Linux capabilities.")
    read_only_root_filesystem: bool | None = Field(None, description="Mount the container's root read-only.")
    run_as_non_root: bool | None = Field(None, description="Refuse to start as root.")
    run_as_user: int | None = Field(None, ge=0, description="User ID of the process.")
    run_as_group: int | None = Field(None, ge=0, description="Group ID of the process.")


def _number_or_percentage(value: Any) -> Any:
    """Check before the union is tried: it would complain once for each member."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if whole or (isinstance(value, str) and re.fullmatch(r"(100|[1-9]?[0-9])%", value)):
        return value
    msg = "must be a whole number or a percentage such as 50%"
    raise ValueError(msg)


MaxUnavailable = Annotated[
    int | str,
    BeforeValidator(_number_or_percentage),
    WithJsonSchema(
        {"type": ["integer", "string"], "minimum": 0, "pattern": "^(100|[1-9]?[0-9])%$", "examples": [1, "10%"]}
    ),
]


class UpdateStrategy(Model):
    """How a DaemonSet replaces its pods."""

    type: Literal["RollingUpdate", "OnDelete"] = Field(
        "RollingUpdate", description="OnDelete waits until pods are deleted."
    )
    max_unavailable: MaxUnavailable | None = Field(
        None, description="Pods that may be down at the same time: a number or a percentage."
    )


class ContainerSettings(Model):
    """What the container of every component takes, under the names that the charts use."""

    resources: Resources | None = Field(
        None, description="Requests and limits; given, they replace the component's own."
    )
    env: tuple[EnvVar, ...] = Field((), description="Extra environment variables, a list of name and value.")
    tolerations: tuple[Toleration, ...] = Field(
        (), description="Tolerations besides those for the taints of the pools, which gpuc adds itself."
    )
    priority_class_name: DnsSubdomain | None = Field(None, description="PriorityClass of the pods.")
    annotations: Annotations = Field({}, description="Annotations of the pods.")
    labels: PodLabels = Field({}, description="Labels of the pods, besides those that gpuc sets.")
    security_context: SecurityContext | None = Field(
        None, description="Replaces the security context that gpuc computes."
    )


class DaemonSettings(ContainerSettings):
    """A component that is a DaemonSet."""

    update_strategy: UpdateStrategy | None = Field(None, description="How the DaemonSet replaces its pods.")


class ImageSettings(Model):
    """Where a component's image comes from."""

    image: Image = Field(Image(), description="Repository, tag, digest and pull policy.")
    image_pull_secrets: tuple[LocalObjectReference, ...] = Field(
        (), description="Secrets for the registry, besides those of the stack."
    )


class PodSettings(DaemonSettings, ImageSettings):
    """A component that is one pod with one image."""
